// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [reduction]

/* The residual of each iteration is kept. */
void jacobi(double *u, double *v, double *residual, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double sum = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            sum += (v[i] - u[i]) * (v[i] - u[i]);
        }
        residual[t] = sum;
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
