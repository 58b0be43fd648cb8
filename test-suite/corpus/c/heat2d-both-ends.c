/* A border that is open at both of its ends and held between them: one comparison, when it has been compiled. */
#include "corpus.h"

CORPUS_HELPER void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) {
            if (i < 3 || i > 7)
                u[i * m] = u[i * m + 1];
            else
                u[i * m] = 2.0;
        }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.2 * (u[(i + 1) * m + j] + u[(i - 1) * m + j] + u[i * m + j + 1] +
                                                     u[i * m + j - 1] - 4.0 * u[i * m + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
