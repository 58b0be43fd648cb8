// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Jacobi: new values go into a second array. It is a different iteration, and will do where only the limit counts. If two
   statements share a loop and work on the same elements, each has a loop of its own; a value that is read back in the
   iteration that stored it is kept in a variable. */
void jacobi(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
