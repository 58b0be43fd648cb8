/* Cells of other materials are left out with `continue`: nothing is stored there. */
#include "corpus.h"

void relax(float *u, float *v, const uint8_t *kind, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                if (kind[i * m + j] & 4)
                    continue;
                if (kind[i * m + j] & 1)
                    v[i * m + j] = 0.5f * (u[i * m + j - 1] + u[i * m + j + 1]);
                else if (u[i * m + j] > 0.0f)
                    v[i * m + j] = 0.5f * (u[(i - 1) * m + j] + u[(i + 1) * m + j]);
            }
        float *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        uint8_t *kind = corpus_octets("kind", corpus_points(c.nx, c.ny, 1));
        relax(u, v, kind, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
