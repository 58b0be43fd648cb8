/* Lattice Boltzmann in a box: the place decides what happens, walls on four sides that throw back and a lid that moves. */
#include "corpus.h"

enum { REST, EAST, NORTH, WEST, SOUTH, POPULATIONS };

struct cell {
    double f[POPULATIONS];
};

static void collide(const struct cell *now, struct cell *next, int i, int j, int n, int m)
{
    const struct cell *at = now + (size_t)i * m + j;
    struct cell *to = next + (size_t)i * m + j;
    double rest = at->f[REST], east = at[-1].f[EAST], west = at[1].f[WEST];
    double north = at[-m].f[NORTH], south = at[m].f[SOUTH];
    if (((i == 1 || i == n - 2) && (j > 1 && j < m - 2)) || ((j == 1 || j == m - 2) && (i > 1 && i < n - 2))) {
        to->f[REST] = rest;
        to->f[EAST] = west;
        to->f[WEST] = east;
        to->f[NORTH] = south;
        to->f[SOUTH] = north;
        return;
    }
    double density = rest + east + west + north + south;
    double across = (east - west) * 0.5, down = (north - south) * 0.5;
    if (i == n - 3 && j > 1 && j < m - 2) {
        across = 0.01;
        down = 0.0;
    }
    to->f[REST] = 0.4 * rest + 0.1 * density;
    to->f[EAST] = 0.4 * east + 0.12 * density + across;
    to->f[WEST] = 0.4 * west + 0.12 * density - across;
    to->f[NORTH] = 0.4 * north + 0.12 * density + down;
    to->f[SOUTH] = 0.4 * south + 0.12 * density - down;
}

void flow(struct cell *restrict now, struct cell *restrict next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                collide(now, next, i, j, n, m);
        struct cell *other = now;
        now = next;
        next = other;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *now = corpus_doubles("now", corpus_points(c.nx, c.ny, POPULATIONS));
        double *next = corpus_doubles("next", corpus_points(c.nx, c.ny, POPULATIONS));
        flow((struct cell *)now, (struct cell *)next, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
