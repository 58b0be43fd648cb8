/* Two buffers behind pointers take turns by an index that a structure keeps from call to call; steps are counted in a
 * global variable that goes on. */
#include "corpus.h"

struct grid {
    double *at[2];
    int now, n, m;
};

int calls = 100;

void heat(struct grid *g, int steps)
{
    for (int t = 0; t < steps; t++) {
        const double *u = g->at[g->now];
        double *v = g->at[!g->now];
        calls++;
        for (int i = 1; i < g->n - 1; i++)
            for (int j = 1; j < g->m - 1; j++)
                v[i * g->m + j] = u[i * g->m + j] + 0.1 * (u[(i - 1) * g->m + j] + u[(i + 1) * g->m + j] +
                                                           u[i * g->m + j - 1] + u[i * g->m + j + 1] - 4.0 * u[i * g->m + j]);
        g->now = !g->now;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct grid g = {{0, 0}, 0, c.nx, c.ny};
        g.at[0] = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        g.at[1] = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        heat(&g, c.steps / 2);
        heat(&g, c.steps - c.steps / 2);
        corpus_value("now", g.now);
        corpus_value("calls", calls);
        corpus_end();
    }
    return 0;
}
