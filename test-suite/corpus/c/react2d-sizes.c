/* Reaction and diffusion on a torus whose sizes are unsigned and stand in a structure with the grids that are swapped. */
#include "corpus.h"

struct dish {
    size_t rows, columns;
    double *now, *next;
};

static size_t at(const struct dish *d, int i, int j)
{
    return (i + d->rows) % d->rows * d->columns + (j + d->columns) % d->columns;
}

static double laplacian(const struct dish *d, int i, int j)
{
    return 0.2 * (d->now[at(d, i - 1, j)] + d->now[at(d, i + 1, j)] + d->now[at(d, i, j - 1)] + d->now[at(d, i, j + 1)]) -
           0.8 * d->now[at(d, i, j)];
}

static void update(struct dish *d)
{
    for (int j = 0; (size_t)j < d->columns; j++)
        for (int i = 0; (size_t)i < d->rows; i++) {
            double u = d->now[at(d, i, j)];
            d->next[at(d, i, j)] = u + 0.5 * (laplacian(d, i, j) + 0.05 * (1.0 - u * u));
        }
    double *swap = d->now;
    d->now = d->next;
    d->next = swap;
}

void react(struct dish *d, int steps)
{
    for (int t = 0; t < steps; t++)
        update(d);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct dish d = {c.nx, c.ny, 0, 0};
        d.now = corpus_doubles("now", corpus_points(c.nx, c.ny, 1));
        d.next = corpus_doubles("next", corpus_points(c.nx, c.ny, 1));
        react(&d, c.steps);
        corpus_end();
    }
    return 0;
}
