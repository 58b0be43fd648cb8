/* Heat on a torus: borders are copied from the opposite side before each sweep. */
#include "corpus.h"

void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            u[i * m] = u[i * m + m - 2];
            u[i * m + m - 1] = u[i * m + 1];
        }
        for (int j = 0; j < m; j++) {
            u[j] = u[(n - 2) * m + j];
            u[(n - 1) * m + j] = u[m + j];
        }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
