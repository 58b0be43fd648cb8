/* Receivers all over the grid, two of them in one place, which add up what they see; some of them are read ahead of the sweeps. */
#include "corpus.h"

enum { RECEIVERS = 6 };

void heat(double *restrict u, double *restrict v, double *restrict seen, double *restrict before, const int *restrict row,
          const int *restrict column, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int r = 0; r < RECEIVERS; r += 2)
            before[r] = u[row[r] * m + column[r]] - 0.5 * before[r];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.125 * (u[i * m + j - 1] + u[i * m + j + 1] + u[(i - 1) * m + j] +
                                                       u[(i + 1) * m + j] - 4 * u[i * m + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j];
        for (int r = 0; r < RECEIVERS; r++)
            seen[r] += u[row[r] * m + column[r]] * v[row[r] * m + column[r]];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        double *seen = corpus_doubles("seen", RECEIVERS);
        double *before = corpus_doubles("before", RECEIVERS);
        int row[RECEIVERS] = {0, c.nx - 1, c.nx / 2, c.nx / 3, c.nx / 2, 0};
        int column[RECEIVERS] = {0, c.ny - 1, c.ny / 2, 0, c.ny / 2, c.ny - 1};
        if (points > 0)
            heat(u, v, seen, before, row, column, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
