// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The first point never changes here, so it is read once. Reading an array from the other end (`v[n - i] = u[i]`) is
   refused for this reason too. */
void coupled(double *u, double *v, int n, int steps)
{
    double first = u[0];
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++)
            v[i] = 0.9 * u[i] + 0.1 * first;
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
