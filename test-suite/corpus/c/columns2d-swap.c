/* Diffusion down the columns of a plane; columns don't feel each other. */
#include "corpus.h"

float *settle(const float *rate, float *u, float *v, int levels, int columns, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 1; k < levels - 1; k++)
            for (int i = 0; i < columns; i++)
                v[k * columns + i] =
                    u[k * columns + i] + rate[i] * (u[(k - 1) * columns + i] - 2.0f * u[k * columns + i] +
                                                    u[(k + 1) * columns + i]);
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
        float *rate = corpus_floats("rate", corpus_points(1, c.ny, 1));
        for (int i = 0; i < c.ny; i++)
            rate[i] = 0.1f + 0.01f * (float)(i % 11);
        float *last = settle(rate, u, v, c.nx, c.ny, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
