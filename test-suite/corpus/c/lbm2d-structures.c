/* Lattice Boltzmann, D2Q5: an array of structures, populations pulled from the neighbours, walls that throw back. */
#include "corpus.h"

enum { REST, EAST, NORTH, WEST, SOUTH, POPULATIONS };

struct cell {
    double f[POPULATIONS];
};

static const int opposite[POPULATIONS] = {REST, WEST, SOUTH, EAST, NORTH};

void flow(struct cell *now, struct cell *next, const int *wall, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double f[POPULATIONS];
                f[REST] = now[i * m + j].f[REST];
                f[EAST] = now[i * m + j - 1].f[EAST];
                f[WEST] = now[i * m + j + 1].f[WEST];
                f[NORTH] = now[(i - 1) * m + j].f[NORTH];
                f[SOUTH] = now[(i + 1) * m + j].f[SOUTH];
                double density = 0.0;
                for (int k = 0; k < POPULATIONS; k++)
                    density += f[k];
                if (wall[i * m + j] > 2000) {
                    for (int k = 0; k < POPULATIONS; k++)
                        next[i * m + j].f[k] = f[opposite[k]];
                } else {
                    for (int k = 0; k < POPULATIONS; k++)
                        next[i * m + j].f[k] = 0.5 * f[k] + 0.1 * density;
                }
            }
        struct cell *tmp = now;
        now = next;
        next = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *now = corpus_doubles("now", corpus_points(c.nx, c.ny, POPULATIONS));
        double *next = corpus_doubles("next", corpus_points(c.nx, c.ny, POPULATIONS));
        int *wall = corpus_ints("wall", corpus_points(c.nx, c.ny, 1));
        flow((struct cell *)now, (struct cell *)next, wall, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
