// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [trip-count]

/* Space is counted in floating point. */
void heat(double *u, double *v, double end, double dx, int steps)
{
    for (int t = 0; t < steps; t++) {
        int i = 1;
        for (double x = 0.0; x < end; x += dx, i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
        i = 1;
        for (double x = 0.0; x < end; x += dx, i++)
            u[i] = v[i];
    }
}
