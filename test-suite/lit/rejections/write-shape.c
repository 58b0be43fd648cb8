// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [write-shape]

/* What each row has held over time: all points of a row add to the same element. */
void heat(double *u, double *v, double *total, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                total[i] += u[i * m + j];
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
            }
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
