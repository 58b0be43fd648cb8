// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [call]

/* In the middle of a step, a function of another unit may look at the grids. */
void report(int step, const double *u);

void heat(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
        report(t, v);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
