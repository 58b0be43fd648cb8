/* A channel between two walls that goes round along it: what is carried by a shear flow and spreads. Neighbours along the
 * channel are found by comparisons. */
#include "corpus.h"

static void step(const double *now, double *next, const double *wind, int n, int m)
{
    for (int i = 0; i < n; i++) {
        int before = i > 0 ? i - 1 : n - 1;
        int after = i < n - 1 ? i + 1 : 0;
        for (int j = 1; j < m - 1; j++) {
            double here = now[i * m + j];
            double spread = now[before * m + j] + now[after * m + j] + now[i * m + j - 1] + now[i * m + j + 1] - 4.0 * here;
            next[i * m + j] = here + 0.1 * spread - 0.2 * wind[j] * (here - now[before * m + j]);
        }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *now = corpus_doubles("now", points);
        double *next = corpus_doubles("next", points);
        double *wind = corpus_doubles("wind", (size_t)c.ny);
        for (int t = 0; t < c.steps; t++) {
            step(now, next, wind, c.nx, c.ny);
            double *other = now;
            now = next;
            next = other;
        }
        corpus_end();
    }
    return 0;
}
