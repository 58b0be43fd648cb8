/* Lattice Boltzmann whose cells are rows of their own: f[i][j][k]. Collisions go through columns, streaming through rows. */
#include "corpus.h"

enum { POPULATIONS = 5 };

static const int DX[POPULATIONS] = {0, 1, 0, -1, 0}, DY[POPULATIONS] = {0, 0, 1, 0, -1};

static double ***rows_of(double *points, int n, int m, void **kept, size_t *count)
{
    double ***f = malloc((n > 0 ? n : 1) * sizeof *f);
    kept[(*count)++] = f;
    for (int i = 0; i < n; i++) {
        f[i] = malloc((m > 0 ? m : 1) * sizeof **f);
        kept[(*count)++] = f[i];
        for (int j = 0; j < m; j++)
            f[i][j] = points + (i * m + j) * POPULATIONS;
    }
    return f;
}

__attribute__((noinline)) void flow(double ***f, double ***g, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < m; j++)
            for (int i = 0; i < n; i++) {
                double sum = 0.0;
                for (int k = 0; k < POPULATIONS; k++)
                    sum += f[i][j][k];
                for (int k = 0; k < POPULATIONS; k++)
                    g[i][j][k] = f[i][j][k] + 0.6 * (0.2 * sum - f[i][j][k]);
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 0; k < POPULATIONS; k++)
                    f[i][j][k] = g[i - DX[k]][j - DY[k]][k];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, POPULATIONS), count = 0;
        void **kept = malloc((2 * (size_t)(c.nx > 0 ? c.nx : 0) + 2) * sizeof *kept);
        double ***f = rows_of(corpus_doubles("f", points), c.nx, c.ny, kept, &count);
        double ***g = rows_of(corpus_doubles("g", points), c.nx, c.ny, kept, &count);
        flow(f, g, c.nx, c.ny, c.steps);
        corpus_end();
        while (count > 0)
            free(kept[--count]);
        free(kept);
    }
    return 0;
}
