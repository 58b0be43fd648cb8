/* A plate, of which every step is kept, through two levels of pointers. */
#include "corpus.h"

static double ***planes(int kept, int n, int m)
{
    double *all = corpus_doubles("u", corpus_points(kept, n, m));
    double ***u = malloc((size_t)kept * sizeof *u);
    for (int t = 0; t < kept; t++) {
        u[t] = malloc((size_t)(n > 0 ? n : 1) * sizeof **u);
        for (int i = 0; i < n; i++)
            u[t][i] = m > 0 ? all + ((size_t)t * (size_t)n + (size_t)i) * (size_t)m : all;
    }
    return u;
}

void heat(double ***u, int n, int m, int steps)
{
    for (int t = 1; t <= steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[t][i][j] = u[t - 1][i][j] + 0.1 * (u[t - 1][i + 1][j] + u[t - 1][i - 1][j] +
                                                     u[t - 1][i][j + 1] + u[t - 1][i][j - 1] -
                                                     4.0 * u[t - 1][i][j]);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int kept = c.steps > 0 ? c.steps + 1 : 1;
        double ***u = planes(kept, c.nx, c.ny);
        heat(u, c.nx, c.ny, c.steps);
        corpus_end();
        for (int t = 0; t < kept; t++)
            free(u[t]);
        free(u);
    }
    return 0;
}
