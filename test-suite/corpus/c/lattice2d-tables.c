/* Lattice Boltzmann whose directions and opposites stand in tables that nothing in the program writes, though they are not const;
 * populations that come from a solid point come back. */
#include "corpus.h"

#define Q 9

int dx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

CORPUS_HELPER void flow(double *f, double *g, const uint8_t *solid, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < Q; k++)
                    g[(i * m + j) * Q + k] = 0.9 * f[(i * m + j) * Q + k] + 0.1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < Q; k++) {
                    int from_i = i - dx[k], from_j = j - dy[k];
                    if (from_i >= 0 && from_i < n && from_j >= 0 && from_j < m) {
                        int from = from_i * m + from_j;
                        f[(i * m + j) * Q + k] = solid[from] & 1 ? g[from * Q + opposite[k]] : g[from * Q + k];
                    }
                }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *f = corpus_doubles("f", points * Q), *g = corpus_doubles("g", points * Q);
        flow(f, g, corpus_octets("solid", points), c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
