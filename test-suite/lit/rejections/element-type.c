// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [element-type]

/* Extended precision. */
void heat(long double *u, long double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25L * (u[i - 1] + 2.0L * u[i] + u[i + 1]);
        long double *tmp = u;
        u = v;
        v = tmp;
    }
}
