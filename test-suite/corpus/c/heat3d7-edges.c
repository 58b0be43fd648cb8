/* Heat in a box whose first edges, along each of the three dimensions, follow what lies inside of them. */
#include "corpus.h"

CORPUS_HELPER void heat(float *restrict u, float *restrict v, int n, int m, int l, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++) {
                    const float *at = &u[(i * m + j) * l + k];
                    v[(i * m + j) * l + k] = 0.4f * at[0] + 0.1f * (at[-m * l] + at[m * l] + at[-l] + at[l] + at[-1] + at[1]);
                }
        for (int i = 1; i < n - 1; i++)
            v[i * m * l] = v[(i * m + 1) * l + 1];
        for (int j = 1; j < m - 1; j++)
            v[j * l] = v[(m + j) * l + 1];
        for (int k = 1; k < l - 1; k++)
            v[k] = v[(m + 1) * l + k];
        float *swap = u;
        u = v;
        v = swap;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        float *u = corpus_floats("u", points), *v = corpus_floats("v", points);
        heat(u, v, c.nx, c.ny, c.nz, c.steps);
        corpus_end();
    }
    return 0;
}
