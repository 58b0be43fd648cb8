/* What flows through a cell's sides is that of the cell where the wind comes from, which the wind itself says. */
#include "corpus.h"

static void blow(double *u, double *next, const double *east, const double *north, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int at = i * m + j;
                double left, below;
                if (east[at] > 0.1)
                    left = u[at - 1];
                else if (east[at] < -0.1)
                    left = u[at + 1];
                else
                    left = u[at];
                below = u[north[at] > 0.0 ? at - m : at + m];
                next[at] = u[at] + 0.2 * (left - u[at]) + 0.1 * (below - u[at]);
            }
        for (int i = 1; i < n - 1; i++)
            next[i * m] = east[i * m] > 0.0 ? next[i * m + 1] : u[i * m];
        double *tmp = u;
        u = next;
        next = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *next = corpus_doubles("next", corpus_points(c.nx, c.ny, 1));
        double *east = corpus_doubles("east", corpus_points(c.nx, c.ny, 1));
        double *north = corpus_doubles("north", corpus_points(c.nx, c.ny, 1));
        for (long k = 0; k < corpus_points(c.nx, c.ny, 1); k++)
            east[k] -= 0.5, north[k] -= 0.5;
        blow(u, next, east, north, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
