// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Steps are counted in an integer. Inner loops whose bounds depend on the counter of a loop around them (triangles,
   `j < i`) are refused for this reason too. */
void heat(double *u, double *v, int n, double end, double dt)
{
    int steps = (int)(end / dt);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] + dt * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
