// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Points are counted in an integer; time may be counted as one likes. Inner loops whose bounds depend on the counter of
   a loop around them (triangles, `j < i`) are refused for this reason too, but for blocks (`i < min(ii + B, n)`). */
void heat(double *u, double *v, double end, double dx, double last, double dt)
{
    int n = (int)(end / dx);
    for (double time = 0.0; time < last; time += dt) {
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] + dt * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
