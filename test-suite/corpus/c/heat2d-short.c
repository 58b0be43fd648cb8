/* Rows, columns and steps are counted in short integers; the sizes are plain ones. */
#include "corpus.h"

void heat(double *u, double *v, int n, int m, int steps)
{
    short i, j, t;
    for (t = 0; t < steps; t++) {
        for (i = 1; i <= n - 2; i++)
            for (j = 1; j <= m - 2; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i + 1) * m + j] + u[(i - 1) * m + j] + u[i * m + j + 1] +
                                                     u[i * m + j - 1] - 4.0 * u[i * m + j]);
        double *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
