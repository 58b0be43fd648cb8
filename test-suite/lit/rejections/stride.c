// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [stride]

/* Red points, then black points. */
void red_black(double *u, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i += 2)
            u[i] = 0.5 * (u[i - 1] + u[i + 1]);
        for (long i = 2; i < n - 1; i += 2)
            u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    }
}
