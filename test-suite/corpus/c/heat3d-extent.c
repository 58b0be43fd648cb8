/* Sizes as one structure, which is handed over by value from where a simulation keeps it: two of the three numbers travel as
   one word. */
#include "corpus.h"

struct extent {
    int nx, ny, nz;
};

struct simulation {
    struct extent size;
    double rate;
    double *now, *next;
};

static size_t at(struct extent e, int i, int j, int k)
{
    return ((size_t)i * e.ny + j) * e.nz + k;
}

static void sweep(struct extent e, double rate, const double *u, double *v)
{
    for (int i = 1; i < e.nx - 1; i++)
        for (int j = 1; j < e.ny - 1; j++)
            for (int k = 1; k < e.nz - 1; k++)
                v[at(e, i, j, k)] = u[at(e, i, j, k)] +
                                    rate * (u[at(e, i - 1, j, k)] + u[at(e, i + 1, j, k)] + u[at(e, i, j - 1, k)] +
                                            u[at(e, i, j + 1, k)] + u[at(e, i, j, k - 1)] + u[at(e, i, j, k + 1)] -
                                            6.0 * u[at(e, i, j, k)]);
}

CORPUS_HELPER void run(struct simulation *s, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep(s->size, s->rate, s->now, s->next);
        double *last = s->now;
        s->now = s->next;
        s->next = last;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        struct simulation s = {{c.nx, c.ny, c.nz}, 0.1, corpus_doubles("a", points), corpus_doubles("b", points)};
        double *first = s.now;
        run(&s, c.steps);
        corpus_value("turned", s.now != first);
        corpus_end();
    }
    return 0;
}
