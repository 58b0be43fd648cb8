/* Gradient of a plane, after the overlapped-tiling papers' kernel. */
#include "corpus.h"

#include <math.h>

float *gradient(float *u, float *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                float c = u[i * m + j];
                float dn = c - u[(i - 1) * m + j];
                float ds = c - u[(i + 1) * m + j];
                float dw = c - u[i * m + j - 1];
                float de = c - u[i * m + j + 1];
                v[i * m + j] = c + 1.0f / sqrtf(0.0001f + dn * dn + ds * ds + dw * dw + de * de);
            }
        }
        float *tmp = u;
        u = v;
        v = tmp;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        float *last = gradient(u, v, c.nx, c.ny, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
