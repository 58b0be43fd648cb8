// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [base-pointer]

/* Each time level is an allocation of its own, found through a table. */
void history(double **level, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        const double *u = level[t];
        double *v = level[t + 1];
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
    }
}
