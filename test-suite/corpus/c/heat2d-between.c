/* Two sweeps over the same grids, with somebody between them who looks at single cells only; every few steps one of the
   grids is given new memory, and every few others a row of it new values. */
#include "corpus.h"

struct probe {
    double low, high;
    int count;
};

CORPUS_HELPER void heat(double **grid, double *v, int n, int m, int steps, struct probe *p)
{
    double *u = *grid;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 0; j < m; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + 2.0 * u[i * m + j] + u[(i + 1) * m + j]);
        double middle = v[n / 2 * m + m / 2];
        if (middle < p->low)
            p->low = middle;
        if (middle > p->high)
            p->high = middle;
        p->count++;
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = 0.25 * (v[i * m + j - 1] + 2.0 * v[i * m + j] + v[i * m + j + 1]);
        if (t % 6 == 5) {
            size_t bytes = (size_t)n * (size_t)m * sizeof *u;
            double *w = malloc(bytes);
            memcpy(w, u, bytes);
            free(u);
            u = w;
        }
        if (t % 8 == 3)
            for (int j = 0; j < m; j++)
                u[j] = 0.5 * u[j] + 0.25;
        if (middle > 90.0)
            break;
    }
    *grid = u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        struct probe p = {1e9, -1e9, 0};
        if (points) {
            double *u = malloc(points * sizeof *u);
            memcpy(u, first, points * sizeof *u);
            heat(&u, v, c.nx, c.ny, c.steps, &p);
            memcpy(first, u, points * sizeof *u);
            free(u);
        }
        corpus_value("count", p.count);
        corpus_value("low", (int64_t)(p.low * 1e6));
        corpus_value("high", (int64_t)(p.high * 1e6));
        corpus_end();
    }
    return 0;
}
