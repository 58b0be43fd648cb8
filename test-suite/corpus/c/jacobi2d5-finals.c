/* Five points; the caller learns where the loops stopped and which grid is the newer one. */
#include "corpus.h"

int relax(double **pu, double **pv, int n, int m, int steps, int *rows)
{
    double *u = *pu, *v = *pv;
    int t, i = 0, j;

    for (t = 0; t < steps; t++) {
        for (i = 1; i < n - 1; i++)
            for (j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
    *pu = u;
    *pv = v;
    *rows = i;
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        double *u = a, *v = b;
        int rows;
        corpus_value("steps", relax(&u, &v, c.nx, c.ny, c.steps, &rows));
        corpus_value("rows", rows);
        corpus_value("u is a", u == a);
        corpus_value("v is b", v == b);
        corpus_end();
    }
    return 0;
}
