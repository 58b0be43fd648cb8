/* Complex numbers: a free particle. Some values are infinite, so that products of them are too. */
#include "corpus.h"

#include <complex.h>
#include <math.h>

void evolve(double complex *p, double complex *q, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            q[i] = p[i] + (0.001 + 0.01 * I) * (p[i - 1] - 2.0 * p[i] + p[i + 1]);
        double complex *swap = p;
        p = q;
        q = swap;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *p = corpus_doubles("p", 2 * corpus_points(c.nx, 1, 1));
        double *q = corpus_doubles("q", 2 * corpus_points(c.nx, 1, 1));
        if (c.nx >= 400) {
            p[400] = -INFINITY;
            p[401] = NAN;
            p[620] = NAN;
            p[621] = 1e308;
        }
        evolve((double complex *)p, (double complex *)q, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
