/* Heat on a plane, nine points; both time levels in one variable-length array. */
#include "corpus.h"

void heat(int n, int m, double u[2][n][m], int steps)
{
    for (int t = 0; t < steps; t++) {
        int now = t & 1, next = 1 - now;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[next][i][j] = 0.5 * u[now][i][j] +
                                0.1 * (u[now][i - 1][j] + u[now][i + 1][j] + u[now][i][j - 1] +
                                       u[now][i][j + 1]) +
                                0.025 * (u[now][i - 1][j - 1] + u[now][i - 1][j + 1] +
                                         u[now][i + 1][j - 1] + u[now][i + 1][j + 1]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(2, c.nx, c.ny));
        heat(c.nx, c.ny, (double(*)[c.nx][c.ny])u, c.steps);
        corpus_end();
    }
    return 0;
}
