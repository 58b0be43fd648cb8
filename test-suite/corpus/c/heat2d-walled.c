/* All points of a grid, which a mask keeps from reading beyond its ends. */
#include "corpus.h"

void heat(double *u, double *v, const unsigned char *wall, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int k = i * m + j;
                if (wall[k])
                    continue;
                v[k] = u[k] + 0.125 * (u[k - 1] + u[k + 1] + u[k - m] + u[k + m] - 4 * u[k]);
            }
        double *swap = u;
        u = v;
        v = swap;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        unsigned char *wall = calloc(corpus_points(c.nx, c.ny, 1) + 1, 1);
        for (int i = 0; i < c.nx; i++)
            for (int j = 0; j < c.ny; j++)
                wall[i * c.ny + j] = i == 0 || j == 0 || i == c.nx - 1 || j == c.ny - 1 || (7 * i + 3 * j) % 11 == 0;
        heat(u, v, wall, c.nx, c.ny, c.steps);
        free(wall);
        corpus_end();
    }
    return 0;
}
