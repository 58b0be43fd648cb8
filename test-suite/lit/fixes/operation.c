// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Near rest, the sine is its series, of operations that are handled; what does not depend on the step is computed before the
   time loop. */
void sine_gordon(double *old, double *u, int n, int steps, double r2, double dt2)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            double x = u[i], x2 = x * x;
            double sine = x * (1.0 - x2 * (1.0 - x2 * 0.05) / 6.0);
            old[i] = 2.0 * x - old[i] + r2 * (u[i - 1] - 2.0 * x + u[i + 1]) - dt2 * sine;
        }
        double *tmp = old;
        old = u;
        u = tmp;
    }
}
