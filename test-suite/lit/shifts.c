// Reads at distances that only the run knows: kernels for grids of their own, for small shifts, and for any.
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

void ahead(double *u, double *v, int n, int s, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}; other kernels for small shifts that only the run knows, and for shifts of any length, one step at a time
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            v[i] = 0.5 * (u[i] + u[i + s]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

// A field behind another in one allocation is plainly apart from it: there is nothing else that it may be.
void fields(double *w, int n, int steps)
{
    // CHECK: [[@LINE+2]]:5: remark: time loop tiled
    // CHECK-NOT: other kernels
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            w[n + i] = 0.5 * (w[i - 1] + w[i + 1]) * w[2 * n + i];
        for (int i = 1; i < n - 1; i++)
            w[i] = w[n + i];
    }
}
