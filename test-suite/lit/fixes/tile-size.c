// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The compiler chooses. The message says which bound fails, with the strategy's name, where HEXPASS_TILE,
   HEXPASS_STRATEGY or HEXPASS_STORAGE ask for what is not legal. Sizes must be legal for the GPU's kernels or for the
   CPU's. */
void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
