/* One loop over the two sides in each direction: what it does at either is asked in the sweep along the border. */
#include "corpus.h"

void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int side = 0; side < 2; side++)
            for (int j = 1; j < m - 1; j++) {
                int out = side == 0 ? 0 : n - 1, in = side == 0 ? 1 : n - 2;
                u[out * m + j] = side == 0 ? 0.5 * u[in * m + j] : u[in * m + j];
            }
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < n; i++)
                if (side == 0)
                    u[i * m] = u[i * m + 1];
                else
                    u[i * m + m - 1] = 1.0 - u[i * m + m - 2];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j];
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
