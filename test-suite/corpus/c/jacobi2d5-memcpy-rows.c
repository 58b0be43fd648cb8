/* Five points with long indices; the interior goes back row by row with memcpy. */
#include "corpus.h"

void jacobi(double *u, double *w, long nx, long ny, long iterations)
{
    for (long it = 1; it <= iterations; it++) {
        for (long i = 1; i < nx - 1; i++)
            for (long j = 1; j < ny - 1; j++)
                w[i * ny + j] = 0.25 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] +
                                        u[i * ny + (j - 1)] + u[i * ny + (j + 1)]);
        if (ny > 2)
            for (long i = 1; i < nx - 1; i++)
                memcpy(&u[i * ny + 1], &w[i * ny + 1], (size_t)(ny - 2) * sizeof(double));
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *w = corpus_doubles("w", corpus_points(c.nx, c.ny, 1));
        jacobi(u, w, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
