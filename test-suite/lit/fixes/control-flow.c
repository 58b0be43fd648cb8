// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Both values are there before one is chosen, and every point is stored. A border has loops of its own in place of
   `if (i > 0 && …)` in the body. A condition on sizes is taken if it encloses a whole loop. */
void flow(float *u, float *v, const unsigned char *solid, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                float kept = u[i * m + j];
                float flown = 0.25f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
                v[i * m + j] = solid[i * m + j] ? kept : flown;
            }
        float *tmp = u;
        u = v;
        v = tmp;
    }
}
