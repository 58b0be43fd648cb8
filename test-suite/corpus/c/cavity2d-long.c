/* The lid of a cavity and its outflow are sweeps over one row and one column. What the row becomes depends on a cell that is
   added up in long double, which is the host's: each is a nest of its own, in memory that the large sweep works on too. */
#include "corpus.h"

struct gauge {
    double lid, lowest;
    long double inside, sum;
};

CORPUS_HELPER void cavity(double *u, double *v, int n, int m, int steps, struct gauge *g)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.125 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                       u[i * m + j + 1] - 4.0 * u[i * m + j]);
        g->inside += v[n / 2 * m + m / 2];
        for (int j = 0; j < m; j++)
            v[j] = 0.5 * v[j] + 0.25 * (double)g->inside;
        if (v[m / 2] < g->lowest)
            g->lowest = v[m / 2];
        g->sum += v[m / 2];
        for (int i = 1; i < n; i++)
            v[i * m] = v[i * m + 1];
        g->lid = v[0];
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *gauge = corpus_doubles("gauge", 4);
        struct gauge g = {0.0, 1e9, 0.0L, 0.0L};
        if (points)
            cavity(u, v, c.nx, c.ny, c.steps, &g);
        gauge[0] = g.lid;
        gauge[1] = (double)g.inside;
        gauge[2] = g.lowest;
        gauge[3] = (double)g.sum;
        corpus_end();
    }
    return 0;
}
