/* Gradient of a box in double precision, copied back; macros for the subscripts. */
#include "corpus.h"

#include <math.h>

#define AT(p, i, j, k) (p)[((size_t)(i) * ny + (j)) * nz + (k)]

static double square(double x)
{
    return x * x;
}

void gradient3d(double *phi, double *tmp, int nx, int ny, int nz, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                for (int k = 1; k < nz - 1; k++) {
                    double c = AT(phi, i, j, k);
                    double norm = square(c - AT(phi, i - 1, j, k)) + square(c - AT(phi, i + 1, j, k)) +
                                  square(c - AT(phi, i, j - 1, k)) + square(c - AT(phi, i, j + 1, k)) +
                                  square(c - AT(phi, i, j, k - 1)) + square(c - AT(phi, i, j, k + 1));
                    AT(tmp, i, j, k) = c + 1.0 / sqrt(0.0001 + norm);
                }
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                for (int k = 1; k < nz - 1; k++)
                    AT(phi, i, j, k) = AT(tmp, i, j, k);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *phi = corpus_doubles("phi", corpus_points(c.nx, c.ny, c.nz));
        double *tmp = corpus_doubles("tmp", corpus_points(c.nx, c.ny, c.nz));
        gradient3d(phi, tmp, c.nx, c.ny, c.nz, c.steps);
        corpus_end();
    }
    return 0;
}
