/* Heat in a channel: sweeps go round the grid along its rows, and are clamped along its columns. */
#include "corpus.h"

CORPUS_HELPER void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int up = i > 0 ? i - 1 : 0, down = i < n - 1 ? i + 1 : n - 1;
                int left = j == 0 ? m - 1 : j - 1, right = j == m - 1 ? 0 : j + 1;
                v[i * m + j] = u[i * m + j] + 0.2 * (u[up * m + j] + u[down * m + j] + u[i * m + left] +
                                                     u[i * m + right] - 4.0 * u[i * m + j]);
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                u[i * m + j] = v[i * m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
