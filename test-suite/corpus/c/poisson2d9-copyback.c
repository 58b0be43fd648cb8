/* Poisson's equation, compact nine-point scheme, Jacobi iteration with copy back. */
#include "corpus.h"

void poisson(double *u, double *unew, const double *f, int nx, int ny, int iterations)
{
    int it, i, j;

    for (it = 0; it < iterations; it++) {
        for (i = 1; i < nx - 1; i++)
            for (j = 1; j < ny - 1; j++)
                unew[i * ny + j] =
                    (4.0 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] +
                            u[i * ny + j + 1]) +
                     u[(i - 1) * ny + j - 1] + u[(i - 1) * ny + j + 1] + u[(i + 1) * ny + j - 1] +
                     u[(i + 1) * ny + j + 1] - f[i * ny + j]) /
                    20.0;
        for (i = 1; i < nx - 1; i++)
            for (j = 1; j < ny - 1; j++)
                u[i * ny + j] = unew[i * ny + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *unew = corpus_doubles("unew", corpus_points(c.nx, c.ny, 1));
        double *f = corpus_doubles("f", corpus_points(c.nx, c.ny, 1));
        poisson(u, unew, f, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
