/* Two sweeps over tables of rows with a ring of ghosts, which are copied from the other side after each; one of the tables
   changes places with a third, and one never does. */
#include "corpus.h"

static void periodic(double **a, int n, int m)
{
    for (int i = 1; i <= n; i++) {
        a[i][0] = a[i][m];
        a[i][m + 1] = a[i][1];
    }
    for (int j = 0; j <= m + 1; j++) {
        a[0][j] = a[n][j];
        a[n + 1][j] = a[1][j];
    }
}

CORPUS_HELPER void separate(double **c, double **mu, double **next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= m; j++)
                mu[i][j] = c[i][j] * c[i][j] * 0.03125 -
                           0.25 * (c[i + 1][j] + c[i - 1][j] + c[i][j + 1] + c[i][j - 1] - 4.0 * c[i][j]);
        periodic(mu, n, m);
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= m; j++)
                next[i][j] = c[i][j] + 0.0625 * (mu[i + 1][j] + mu[i - 1][j] + mu[i][j + 1] +
                                                 mu[i][j - 1] - 4.0 * mu[i][j]);
        periodic(next, n, m);
        double **swap = c;
        c = next;
        next = swap;
    }
}

static double **rows(const char *name, int n, int m)
{
    double **at = malloc(((size_t)n + 2) * sizeof *at);
    double *all = corpus_doubles(name, ((size_t)n + 2) * ((size_t)m + 2));
    for (int i = 0; i < n + 2; i++)
        at[i] = all + (size_t)i * ((size_t)m + 2);
    return at;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double **u = rows("u", c.nx, c.ny), **mu = rows("mu", c.nx, c.ny), **next = rows("next", c.nx, c.ny);
        if (c.nx > 0 && c.ny > 0)
            separate(u, mu, next, c.nx, c.ny, c.steps);
        corpus_end();
        free(u);
        free(mu);
        free(next);
    }
    return 0;
}
