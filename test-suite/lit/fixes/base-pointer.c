// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Two buffers are swapped. Grids are allocated in one piece and indexed as `u[i * m + j]`, or by a pointer to rows,
   `double (*u)[m]`; whole grids are swapped in local variables, or in fields of one structure. A size or pointer that
   is read from memory which the nest may write is copied to a local variable before the loop. */
void heat(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
