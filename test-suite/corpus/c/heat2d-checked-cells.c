/* Cells by a function that says so, and gives nothing, where there is none. */
#include "corpus.h"

#include <stdio.h>

static double cell(const double *u, int n, int m, int i, int j)
{
    if (i < 0 || i >= n || j < 0 || j >= m) {
        fprintf(stderr, "no such cell: %d, %d\n", i, j);
        return 0.0;
    }
    return u[i * m + j];
}

void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (cell(u, n, m, i - 1, j) + cell(u, n, m, i + 1, j) +
                                       cell(u, n, m, i, j - 1) + cell(u, n, m, i, j + 1));
        double *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
