/* What some points wear is added up in rows that lie anywhere, and are touched nowhere else. */
#include "corpus.h"

CORPUS_HELPER void wear(double **u, double **v, double **worn, const uint8_t *mask, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                if (mask[i * m + j] & 1)
                    worn[i][j] += v[i][j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i][j] = v[i][j];
    }
}

static double **rows(const double *values, int n, int m)
{
    double **r = malloc((n + 1) * sizeof *r);
    for (int i = 0; i < n; i++) {
        r[i] = malloc((m + i % 3) * sizeof **r);
        memcpy(r[i], values + (size_t)i * m, m * sizeof **r);
    }
    return r;
}

static void save(double **r, double *values, int n, int m)
{
    for (int i = 0; i < n; i++) {
        memcpy(values + (size_t)i * m, r[i], m * sizeof **r);
        free(r[i]);
    }
    free(r);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("u", points), *b = corpus_doubles("v", points), *w = corpus_doubles("worn", points);
        uint8_t *mask = corpus_octets("mask", points);
        if (c.nx > 0 && c.ny > 0) {
            double **u = rows(a, c.nx, c.ny), **v = rows(b, c.nx, c.ny), **worn = rows(w, c.nx, c.ny);
            wear(u, v, worn, mask, c.nx, c.ny, c.steps);
            save(u, a, c.nx, c.ny);
            save(v, b, c.nx, c.ny);
            save(worn, w, c.nx, c.ny);
        }
        corpus_end();
    }
    return 0;
}
