/* A wave in rows behind pointers: a source at a place that only the run knows, switched off after a while, and a receiver at another. */
#include "corpus.h"
#include <stdlib.h>

static double **rows_of(double *all, int n, int m)
{
    double **rows = malloc((n > 0 ? n : 1) * sizeof *rows);
    for (int i = 0; i < n; i++)
        rows[i] = all + (size_t)i * m;
    return rows;
}

static double wave(double **now, double **before, int n, int m, int steps)
{
    int i0 = n / 3, j0 = m / 2;
    double heard = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                before[i][j] = 2 * now[i][j] - before[i][j] +
                               0.1 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4 * now[i][j]);
        if (3 * t < 2 * steps)
            before[i0][j0] += 0.01 * (t % 5);
        for (int j = 0; j < m; j++) {
            before[0][j] = before[1][j];
            before[n - 1][j] = before[n - 2][j];
        }
        double **swap = now;
        now = before;
        before = swap;
        heard = 0.5 * heard + now[i0 + 1][m - 2];
    }
    return heard;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *now = corpus_doubles("now", corpus_points(c.nx, c.ny, 1));
        double *before = corpus_doubles("before", corpus_points(c.nx, c.ny, 1));
        double *heard = corpus_doubles("heard", 1);
        double **a = rows_of(now, c.nx, c.ny), **b = rows_of(before, c.nx, c.ny);
        *heard = wave(a, b, c.nx, c.ny, c.steps);
        free(a);
        free(b);
        corpus_end();
    }
    return 0;
}
