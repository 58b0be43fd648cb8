/* Waves on a torus, three time levels: cells beyond the ends are filled behind each sweep, of what it has just computed, for the
 * sweep of the next step. */
#include "corpus.h"

static void fill(double *u, int n, int m)
{
    for (int i = 1; i < n - 1; i++) {
        u[i * m] = u[i * m + m - 2];
        u[i * m + m - 1] = u[i * m + 1];
    }
    for (int j = 0; j < m; j++) {
        u[j] = u[(n - 2) * m + j];
        u[(n - 1) * m + j] = u[m + j];
    }
}

static void waves(double *before, double *now, double *after, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                after[i * m + j] = 2.0 * now[i * m + j] - before[i * m + j] +
                                   0.1 * (now[(i - 1) * m + j] + now[(i + 1) * m + j] + now[i * m + j - 1] +
                                          now[i * m + j + 1] - 4.0 * now[i * m + j]);
        fill(after, n, m);
        double *oldest = before;
        before = now;
        now = after;
        after = oldest;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *before = corpus_doubles("before", points);
        double *now = corpus_doubles("now", points);
        double *after = corpus_doubles("after", points);
        waves(before, now, after, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
