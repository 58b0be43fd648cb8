/* Lattice Boltzmann that pushes round a torus: what each population wraps round is its own. The lattice stands in a structure,
   whose sizes are too short for an int, and some of whose grids are only looked at where there is no obstacle. */
#include "corpus.h"

enum { POPULATIONS = 5 };

struct lattice {
    unsigned short n, m;
    const unsigned char *solid;
    double *f, *moved;
};

static void push(struct lattice *l)
{
    unsigned short i, j, right, left, up, down;
    for (i = 0; i < l->n; i++)
        for (j = 0; j < l->m; j++) {
            right = (i + 1) % l->n;
            up = (j + 1) % l->m;
            left = (i - 1 + l->n) % l->n;
            down = (j - 1 + l->m) % l->m;
            l->moved[(i * l->m + j) * POPULATIONS] = l->f[(i * l->m + j) * POPULATIONS];
            l->moved[(right * l->m + j) * POPULATIONS + 1] = l->f[(i * l->m + j) * POPULATIONS + 1];
            l->moved[(left * l->m + j) * POPULATIONS + 2] = l->f[(i * l->m + j) * POPULATIONS + 2];
            l->moved[(i * l->m + up) * POPULATIONS + 3] = l->f[(i * l->m + j) * POPULATIONS + 3];
            l->moved[(right * l->m + down) * POPULATIONS + 4] = l->f[(i * l->m + j) * POPULATIONS + 4];
        }
}

static void collide(struct lattice *l)
{
    for (unsigned short i = 0; i < l->n; i++)
        for (unsigned short j = 0; j < l->m; j++)
            if (!l->solid[i * l->m + j]) {
                const double *from = l->moved + (i * l->m + j) * POPULATIONS;
                double mean = 0.2 * (from[0] + from[1] + from[2] + from[3] + from[4]);
                for (int k = 0; k < POPULATIONS; k++)
                    l->f[(i * l->m + j) * POPULATIONS + k] = from[k] + 0.6 * (mean - from[k]);
            }
}

__attribute__((noinline)) void flow(struct lattice *l, int steps)
{
    for (int t = 0; t < steps; t++) {
        push(l);
        collide(l);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *f = corpus_doubles("f", points * POPULATIONS);
        double *moved = corpus_doubles("moved", points * POPULATIONS);
        unsigned char *solid = calloc(points ? points : 1, 1);
        for (size_t i = 0; i < points; i++)
            solid[i] = i % 13 == 5;
        struct lattice l = {(unsigned short)c.nx, (unsigned short)c.ny, solid, f, moved};
        flow(&l, c.steps);
        corpus_end();
        free(solid);
    }
    return 0;
}
