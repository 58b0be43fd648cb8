/* One loop over all points; a branch keeps the border as it is. */
#include "corpus.h"

void step(double *u, double *v, int n, int m)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (i == 0 || j == 0 || i == n - 1 || j == m - 1)
                v[i * m + j] = u[i * m + j];
            else
                v[i * m + j] = u[i * m + j] + 0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] +
                                                     u[i * m + j - 1] + u[i * m + j + 1] -
                                                     4.0 * u[i * m + j]);
        }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        for (int t = 0; t < c.steps; t++) {
            step(u, v, c.nx, c.ny);
            double *tmp = u;
            u = v;
            v = tmp;
        }
        corpus_end();
    }
    return 0;
}
