// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop taken one step a launch with

/* Every point feels one element. Time can't be tiled then, but all points of a step can be computed at once: the loop
   is taken one step a launch. */
void coupled(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            v[i] = 0.9 * u[i] + 0.1 * u[0];
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
