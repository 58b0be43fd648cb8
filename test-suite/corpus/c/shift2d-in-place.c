/* Particles on a lattice: four populations relax towards their mean, move one cell each in its own direction, in place
   (each row is read before it is overwritten), and come back from the walls. */
#include "corpus.h"

struct lattice {
    float *east, *west, *north, *south;
};

void stream(struct lattice l, int n, int m, float rate, int steps)
{
    float *e = l.east, *w = l.west, *u = l.north, *d = l.south;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int k = i * m + j;
                float mean = 0.25f * (e[k] + w[k] + u[k] + d[k]);
                e[k] += rate * (mean - e[k]);
                w[k] += rate * (mean - w[k]);
                u[k] += rate * (mean - u[k]);
                d[k] += rate * (mean - d[k]);
            }
        for (int i = n - 1; i > 0; i--)
            for (int j = 0; j < m; j++)
                e[i * m + j] = e[(i - 1) * m + j];
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m; j++)
                w[i * m + j] = w[(i + 1) * m + j];
        for (int i = 0; i < n; i++) {
            for (int j = m - 1; j > 0; j--)
                u[i * m + j] = u[i * m + j - 1];
            for (int j = 0; j < m - 1; j++)
                d[i * m + j] = d[i * m + j + 1];
        }
        for (int j = 0; j < m; j++) {
            e[j] = w[j];
            w[(n - 1) * m + j] = e[(n - 1) * m + j];
        }
        for (int i = 0; i < n; i++) {
            u[i * m] = d[i * m];
            d[i * m + m - 1] = u[i * m + m - 1];
        }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct lattice l = {corpus_floats("east", points), corpus_floats("west", points),
                            corpus_floats("north", points), corpus_floats("south", points)};
        stream(l, c.nx, c.ny, 0.7f, c.steps);
        corpus_end();
    }
    return 0;
}
