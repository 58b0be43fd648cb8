/* A star whose arms have a length that only the run knows; rows and columns have their own. */
#include "corpus.h"

struct grid {
    double *u, *v;
    int n, m, rows, columns;
};

static void smooth(struct grid *g, int steps)
{
    for (int t = 0; t < steps; t++) {
        int n = g->n, m = g->m, r = g->rows, c = g->columns;
        for (int i = r; i < n - r; i++)
            for (int j = c; j < m - c; j++)
                g->v[i * m + j] = 0.5 * g->u[i * m + j] +
                                  0.125 * (g->u[(i - r) * m + j] + g->u[(i + r) * m + j] + g->u[i * m + j - c] +
                                           g->u[i * m + j + c]);
        double *tmp = g->u;
        g->u = g->v;
        g->v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct grid g = {.n = c.nx, .m = c.ny, .rows = 1 + c.nx % 4, .columns = 1 + c.ny % 3};
        g.u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        g.v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        smooth(&g, c.steps);
        corpus_end();
    }
    return 0;
}
