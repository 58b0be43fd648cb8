// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The mesh is a grid, whose neighbours are found by adding to the index, or by a condition on the position (`i > 0 ? i - 1
   : 0`). A buffer's index may be taken modulo a constant
   of the step (`t % 2`, `t % 3`). Products of counters (`a[i * i]`), and bounds that are not linear in sizes known
   before the loop, are refused likewise. */
void relax(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
