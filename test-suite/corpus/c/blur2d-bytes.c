/* Smoothing an image of bytes, in float and back; and in integers, with a quotient. */
#include "corpus.h"

void smooth(uint8_t *u, uint8_t *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                float s = u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1];
                v[i * m + j] = (uint8_t)(0.25f * s + 0.5f);
            }
        uint8_t *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        uint8_t *u = corpus_octets("u", corpus_points(c.nx, c.ny, 1));
        uint8_t *v = corpus_octets("v", corpus_points(c.nx, c.ny, 1));
        smooth(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
