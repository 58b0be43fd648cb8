/* Two rows of the grid that is read change places in each step, by their pointers: the next one finds others in their
   places. */
#include "corpus.h"

CORPUS_HELPER void relax(double **u, double **v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) + 0.1 * v[i][j];
        double *row = u[1];
        u[1] = u[2];
        u[2] = row;
    }
}

static double **rows(double *values, int n, int m)
{
    double **u = malloc((size_t)n * sizeof(*u));
    for (int i = 0; i < n; i++)
        u[i] = values + (size_t)i * m;
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double **u = rows(corpus_doubles("a", points), c.nx, c.ny), **v = rows(corpus_doubles("b", points), c.nx, c.ny);
        relax(u, v, c.nx, c.ny, c.steps);
        corpus_value("turned", u[1] > u[2]);
        corpus_end();
        free(u);
        free(v);
    }
    return 0;
}
