/* Rows that do not lie in order: they are copied together. */
#include "corpus.h"

static double **grid(const char *name, int n, int m)
{
    double *all = corpus_doubles(name, corpus_points(n, m, 1));
    double **rows = malloc((size_t)(n > 0 ? n : 1) * sizeof *rows);
    for (int i = 0; i < n; i++)
        rows[i] = all + (size_t)(i == 7 ? 5 : i == 5 ? 7 : i) * (size_t)m;
    return rows;
}

void relax(double **u, double **v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        double **tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double **u = grid("u", c.nx, c.ny), **v = grid("v", c.nx, c.ny);
        relax(u, v, c.nx, c.ny, c.steps);
        corpus_end();
        free(u);
        free(v);
    }
    return 0;
}
