/* A grid that is looked at in two ways: by its own row length, and by bytes between neighbours, which are not the same here:
 * every other number is left out. */
#include "corpus.h"

struct strides {
    long row, column;
};

static double in_view(const double *u, struct strides s, int i, int j)
{
    return *(const double *)((const char *)u + i * s.row + j * s.column);
}

void relax(double *u, double *next, struct strides s, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = 0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]) +
                                  0.2 * in_view(u, s, i, j);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = next[i * m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 2));
        double *next = corpus_doubles("next", corpus_points(c.nx, c.ny, 1));
        struct strides s = {2 * c.ny * (long)sizeof(double), 2 * sizeof(double)};
        relax(u, next, s, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
