/* Heat around obstacles, whose rows are looked up where there is none, and only there. */
#include "corpus.h"

__attribute__((noinline)) void heat(double **u, double **v, int **solid, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                if (i > 0 && i < n - 1 && j > 0 && j < m - 1 && !solid[i][j]) {
                    double sum = u[i][j - 1] + u[i][j + 1];
                    if (!solid[i - 1][j])
                        sum += u[i - 1][j];
                    if (!solid[i + 1][j])
                        sum += u[i + 1][j];
                    v[i][j] = 0.25 * sum;
                }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                if (!solid[i][j])
                    u[i][j] = v[i][j];
    }
}

static void *rows_of(void *points, int n, size_t bytes)
{
    char **rows = malloc((n > 0 ? n : 1) * sizeof *rows);
    for (int i = 0; i < n; i++)
        rows[i] = (char *)points + i * bytes;
    return rows;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1), columns = c.ny > 0 ? (size_t)c.ny : 0;
        double **u = rows_of(corpus_doubles("u", points), c.nx, columns * sizeof(double));
        double **v = rows_of(corpus_doubles("v", points), c.nx, columns * sizeof(double));
        int *all = calloc(points ? points : 1, sizeof *all);
        for (size_t i = 0; i < points; i++)
            all[i] = i % 11 == 4;
        int **solid = rows_of(all, c.nx, columns * sizeof(int));
        heat(u, v, solid, c.nx, c.ny, c.steps);
        corpus_end();
        free(all);
        free(solid);
        free(u);
        free(v);
    }
    return 0;
}
