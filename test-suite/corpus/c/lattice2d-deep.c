/* Lattice Boltzmann in tables of tables of rows (`double ***`), of which borders name single ones (`f[n - 1][j]`); the directions
 * stand in tables that are not const, and populations come back from solid points. */
#include "corpus.h"

#define Q 9

int dx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
double ***f, ***g;
uint8_t **solid;

CORPUS_HELPER void flow(int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < Q; k++)
                    g[i][j][k] = 0.9 * f[i][j][k] + 0.1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < Q; k++) {
                    int from_i = i - dx[k], from_j = j - dy[k];
                    if (from_i >= 0 && from_i < n && from_j >= 0 && from_j < m)
                        f[i][j][k] = solid[from_i][from_j] & 1 ? g[from_i][from_j][opposite[k]] : g[from_i][from_j][k];
                }
        for (int j = 0; j < m; j++) {
            f[n - 1][j][3] = g[0][j][3];
            f[n - 1][j][6] = g[0][j][6];
        }
        for (int i = 0; i < n; i++) {
            f[i][0][2] = g[i][0][4];
            f[i][m - 1][4] = g[i][m - 1][2];
        }
    }
}

static double ***cells(const double *values, int n, int m)
{
    double ***r = malloc(n * sizeof *r);
    for (int i = 0; i < n; i++) {
        r[i] = malloc(m * sizeof **r);
        for (int j = 0; j < m; j++) {
            r[i][j] = malloc((Q + (i + j) % 3) * sizeof ***r);
            memcpy(r[i][j], values + ((size_t)i * m + j) * Q, Q * sizeof ***r);
        }
    }
    return r;
}

static void save(double ***r, double *values, int n, int m)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            memcpy(values + ((size_t)i * m + j) * Q, r[i][j], Q * sizeof ***r);
            free(r[i][j]);
        }
        free(r[i]);
    }
    free(r);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("f", points * Q), *b = corpus_doubles("g", points * Q);
        uint8_t *where = corpus_octets("solid", points);
        if (c.nx > 0 && c.ny > 0) {
            f = cells(a, c.nx, c.ny), g = cells(b, c.nx, c.ny);
            solid = malloc(c.nx * sizeof *solid);
            for (int i = 0; i < c.nx; i++)
                solid[i] = where + (size_t)i * c.ny;
            flow(c.nx, c.ny, c.steps);
            free(solid);
            save(f, a, c.nx, c.ny);
            save(g, b, c.nx, c.ny);
        }
        corpus_end();
    }
    return 0;
}
