// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [live-out]

/* The last value that was computed is the function's result. */
double heat(double *u, double *v, int n, int steps)
{
    double latest = 0.0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            latest = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
            v[i] = latest;
        }
        double *tmp = u;
        u = v;
        v = tmp;
    }
    return latest;
}
