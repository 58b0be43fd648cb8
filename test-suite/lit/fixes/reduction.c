// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The residual is computed every so many steps, between blocks of them. */
static double residual(const double *u, int n)
{
    double sum = 0.0;
    for (int i = 1; i < n - 1; i++) {
        double r = 0.5 * (u[i - 1] + u[i + 1]) - u[i];
        sum += r * r;
    }
    return sum;
}

double jacobi(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
    return residual(u, n);
}
