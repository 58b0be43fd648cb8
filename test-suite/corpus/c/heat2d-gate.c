/* As heat2d-walled, but that one point at the start of a row is let through: its neighbour is the end of the row before. */
#include "corpus.h"

CORPUS_HELPER void heat(double *u, double *v, const int *wall, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int k = i * m + j;
                if (wall[k] & 1)
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
        int *wall = calloc(corpus_points(c.nx, c.ny, 1) + 1, sizeof *wall);
        for (int i = 0; i < c.nx; i++)
            for (int j = 0; j < c.ny; j++)
                wall[i * c.ny + j] = i == 0 || j == 0 || i == c.nx - 1 || j == c.ny - 1 ? 3 : 2 * (i & 1);
        if (c.nx > 2 && c.ny > 2)
            wall[(c.nx - 2) * c.ny] = 2;
        heat(u, v, wall, c.nx, c.ny, c.steps);
        free(wall);
        corpus_end();
    }
    return 0;
}
