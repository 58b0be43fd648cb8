// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [trip-count]

/* Time is counted in floating point. */
void heat(double *u, double *v, int n, double end, double dt)
{
    for (double time = 0.0; time < end; time += dt) {
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] + dt * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
