// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [base-pointer]

/* A plan says which buffer is new in each step. */
void relax(double *a, double *b, const int *plan, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        const double *u = plan[t] ? a : b;
        double *v = plan[t] ? b : a;
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
    }
}
