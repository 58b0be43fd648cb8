/* Fields of a structure; what computes the border asks in each step whether it was initialised, and ends the program if not: of
   numbers of the unit's own, which no step changes. */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>

struct grid {
    double *ez, *hx, *hy;
    int n, m;
};

static double coef, *old;
static int is_ready;

static void border_init(struct grid *g, double *kept)
{
    coef = -0.33;
    old = kept;
    is_ready = g->n > 0;
}

static void border(struct grid *g)
{
    if (!is_ready || coef == 0) {
        fprintf(stderr, "the border must be initialised\n");
        exit(1);
    }
    for (int j = 0; j < g->m; j++) {
        g->ez[j] = old[j] + coef * (g->ez[g->m + j] - g->ez[j]);
        old[j] = g->ez[g->m + j];
    }
}

static void magnetic(struct grid *g)
{
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->m - 1; j++)
            g->hx[i * g->m + j] -= 0.5 * (g->ez[i * g->m + j + 1] - g->ez[i * g->m + j]);
    for (int i = 0; i < g->n - 1; i++)
        for (int j = 0; j < g->m; j++)
            g->hy[i * g->m + j] += 0.5 * (g->ez[(i + 1) * g->m + j] - g->ez[i * g->m + j]);
}

static void electric(struct grid *g)
{
    for (int i = 1; i < g->n - 1; i++)
        for (int j = 1; j < g->m - 1; j++)
            g->ez[i * g->m + j] += 0.5 * (g->hy[i * g->m + j] - g->hy[(i - 1) * g->m + j] - g->hx[i * g->m + j] +
                                          g->hx[i * g->m + j - 1]);
}

void fields(struct grid *g, int steps)
{
    for (int t = 0; t < steps; t++) {
        magnetic(g);
        electric(g);
        border(g);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct grid g = {corpus_doubles("ez", points), corpus_doubles("hx", points), corpus_doubles("hy", points),
                         c.nx, c.ny};
        double *kept = corpus_doubles("old", points ? c.ny : 0);
        if (points && c.nx > 1) {
            border_init(&g, kept);
            fields(&g, c.steps);
        }
        corpus_end();
    }
    return 0;
}
