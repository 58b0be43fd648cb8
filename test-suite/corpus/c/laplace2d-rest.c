/* A flag that starts true is joined with what each point says: all have come to rest. */
#include "corpus.h"

#include <math.h>
#include <stdbool.h>

static bool sweep(const double *now, double *next, int n, int m, double tolerance)
{
    bool rest = true;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            int p = i * m + j;
            next[p] = 0.25 * (now[p - m] + now[p + m] + now[p - 1] + now[p + 1]);
            rest &= fabs(next[p] - now[p]) < tolerance;
        }
    return rest;
}

CORPUS_HELPER int laplace(double *now, double *next, int n, int m, int most)
{
    int t;
    for (t = 0; t < most; t++) {
        if (sweep(now, next, n, m, 1e-2))
            break;
        double *tmp = now;
        now = next;
        next = tmp;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        corpus_value("steps", laplace(u, v, c.nx, c.ny, c.steps));
        corpus_end();
    }
    return 0;
}
