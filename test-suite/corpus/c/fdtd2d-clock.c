/* FDTD with fields and time in a structure, a hard source, and timers around each step. */
#include "corpus.h"
#include <math.h>
#include <time.h>

struct grid {
    double *hx, *hy, *ez;
    double now, dt;
    int n, m;
};

CORPUS_HELPER double advance(struct grid *g, int steps)
{
    double busy = 0.0;

    for (int t = 0; t < steps; t++) {
        clock_t start = clock();
        for (int i = 0; i < g->n - 1; i++)
            for (int j = 0; j < g->m - 1; j++) {
                g->hx[i * g->m + j] -= 0.4 * (g->ez[i * g->m + j + 1] - g->ez[i * g->m + j]);
                g->hy[i * g->m + j] += 0.4 * (g->ez[(i + 1) * g->m + j] - g->ez[i * g->m + j]);
            }
        for (int i = 1; i < g->n - 1; i++)
            for (int j = 1; j < g->m - 1; j++)
                g->ez[i * g->m + j] += 0.4 * (g->hy[i * g->m + j] - g->hy[(i - 1) * g->m + j] -
                                              g->hx[i * g->m + j] + g->hx[i * g->m + j - 1]);
        busy += (double)(clock() - start);
        if (t % 10 == 9) {
            g->now = t * g->dt;
            printf("time %.17g, field %.17g\n", g->now, g->ez[g->n / 2 * g->m + g->m / 2]);
        }
    }
    return busy;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct grid g = {corpus_doubles("hx", points), corpus_doubles("hy", points),
                         corpus_doubles("ez", points), 0.0, 0.01, c.nx, c.ny};
        double busy = points ? advance(&g, c.steps) : 0.0;
        corpus_value("now", (int64_t)(g.now * 1e9));
        corpus_value("was busy", busy >= 0.0);
        corpus_end();
    }
    return 0;
}
