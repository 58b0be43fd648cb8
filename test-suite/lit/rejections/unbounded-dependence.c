// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [unbounded-dependence]

/* Every point feels the one at the other end. */
void mirrored(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            v[i] = 0.9 * u[i] + 0.1 * u[n - 1 - i];
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
