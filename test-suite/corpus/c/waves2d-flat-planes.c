/* Two fields, each of which keeps both of its levels as planes of one flat block that take turns by the step. */
#include "corpus.h"

#define AT(f, t, i, j) f[(t) % 2 * nx * ny + (j) * nx + (i)]

void waves(double *h, double *u, int nx, int ny, int steps)
{
    for (int t = 1; t <= steps; t++)
        for (int j = 1; j < ny - 1; j++)
            for (int i = 1; i < nx - 1; i++) {
                AT(h, t, i, j) = AT(h, t - 1, i, j) - 0.1 * (AT(u, t - 1, i, j) - AT(u, t - 1, i - 1, j)) -
                                 0.05 * (AT(u, t - 1, i, j) - AT(u, t - 1, i, j - 1));
                AT(u, t, i, j) = AT(u, t - 1, i, j) - 0.1 * (AT(h, t - 1, i + 1, j) - AT(h, t - 1, i, j)) +
                                 0.01 * (AT(h, t, i, j) - AT(h, t - 1, i, j + 1));
            }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 2);
        double *h = corpus_doubles("h", points);
        double *u = corpus_doubles("u", points);
        if (points)
            waves(h, u, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
