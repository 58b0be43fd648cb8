// Rows from new, insulated borders that are loops of their own, and a copy back.
#include "../c/corpus.h"

static void heat(double **u, double **next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i][j] = u[i][j] + 0.1 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j]);
        for (int i = 1; i < n - 1; i++) {
            next[i][0] = next[i][1];
            next[i][m - 1] = next[i][m - 2];
        }
        for (int j = 0; j < m; j++) {
            next[0][j] = next[1][j];
            next[n - 1][j] = next[n - 2][j];
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                u[i][j] = next[i][j];
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        double **u = new double *[c.nx], **v = new double *[c.nx];
        for (int i = 0; i < c.nx; i++) {
            u[i] = first + i * c.ny;
            v[i] = second + i * c.ny;
        }
        heat(u, v, c.nx, c.ny, c.steps);
        delete[] u;
        delete[] v;
        corpus_end();
    }
    return 0;
}
