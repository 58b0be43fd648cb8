/* Five points; grid and scratch grid are fields of a structure, swapped there. */
#include "corpus.h"

typedef struct {
    int nx, ny;
    double *u;
    double *unew;
} Grid;

void step_grid(Grid *g, int nsteps)
{
    for (int step = 0; step < nsteps; step++) {
        for (int i = 1; i < g->nx - 1; i++) {
            for (int j = 1; j < g->ny - 1; j++) {
                int ij = i * g->ny + j;
                g->unew[ij] = g->u[ij] + 0.1 * (g->u[ij - 1] + g->u[ij + 1] + g->u[ij - g->ny] +
                                                g->u[ij + g->ny] - 4.0 * g->u[ij]);
            }
        }
        double *tmp = g->u;
        g->u = g->unew;
        g->unew = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        Grid g = {c.nx, c.ny, a, b};
        step_grid(&g, c.steps);
        corpus_value("u is a", g.u == a);
        corpus_value("unew is b", g.unew == b);
        corpus_end();
    }
    return 0;
}
