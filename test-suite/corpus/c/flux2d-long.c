/* A body of many divisions, as of fluxes of high order: the levels of a tile are a loop, and not written out. */
#include "corpus.h"

#define TERM(k) (((k) + 0.5) * l + a) / (1.0 + s * s + ((k) + 0.25) * r * r + b * b)
#define FOUR(k) TERM(k) + TERM((k) + 1) + TERM((k) + 2) + TERM((k) + 3)
#define MANY FOUR(0) + FOUR(4) + FOUR(8) + FOUR(12) + FOUR(16) + FOUR(20) + FOUR(24) + FOUR(28)

void flux(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double s = u[i * m + j], l = u[i * m + j - 1], r = u[i * m + j + 1], a = u[(i - 1) * m + j],
                       b = u[(i + 1) * m + j];
                v[i * m + j] = 0.5 * s + 1e-4 * (MANY);
            }
        double *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        flux(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
