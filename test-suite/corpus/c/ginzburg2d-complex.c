/* The complex Ginzburg-Landau equation in single precision, with a field of coefficients: products of two unknown numbers. */
#include "corpus.h"

#include <complex.h>
#include <math.h>

struct grid {
    float complex *p, *q, *growth;
    int n, m;
};

static float complex at(const struct grid *g, int i, int j)
{
    return g->p[(long)i * g->m + j];
}

void evolve(struct grid *g, float complex spread, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < g->n - 1; i++)
            for (int j = 1; j < g->m - 1; j++) {
                float complex u = at(g, i, j);
                float size = crealf(u) * crealf(u) + cimagf(u) * cimagf(u);
                float complex around = at(g, i - 1, j) + at(g, i + 1, j) + at(g, i, j - 1) + at(g, i, j + 1);
                g->q[(long)i * g->m + j] = u + spread * (around - 4.0f * u) +
                                           0.001f * g->growth[(long)i * g->m + j] * u - 1e-6f * size * u;
            }
        float complex *swap = g->p;
        g->p = g->q;
        g->q = swap;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t count = 2 * corpus_points(c.nx, c.ny, 1);
        float *p = corpus_floats("p", count), *q = corpus_floats("q", count), *growth = corpus_floats("growth", count);
        if (c.nx >= 20 && c.ny >= 20) {
            size_t point = 2 * (10 * (size_t)c.ny + 10);
            p[point] = INFINITY;
            p[point + 1] = NAN;
            growth[point + 6] = -INFINITY;
        }
        struct grid g = {(float complex *)p, (float complex *)q, (float complex *)growth, c.nx, c.ny};
        evolve(&g, 0.02f + 0.05f * I, c.steps);
        corpus_end();
    }
    return 0;
}
