/* Seven points; rows of the interior are copied back with memcpy. */
#include "corpus.h"

void jacobi3d(double *u, double *w, int nx, int ny, int nz, int steps)
{
    int t, i, j, k;

    for (t = 0; t < steps; t++) {
        for (i = 1; i < nx - 1; i++)
            for (j = 1; j < ny - 1; j++)
                for (k = 1; k < nz - 1; k++)
                    w[(i * ny + j) * nz + k] =
                        (u[((i - 1) * ny + j) * nz + k] + u[((i + 1) * ny + j) * nz + k] +
                         u[(i * ny + j - 1) * nz + k] + u[(i * ny + j + 1) * nz + k] +
                         u[(i * ny + j) * nz + k - 1] + u[(i * ny + j) * nz + k + 1]) /
                        6.0;
        if (nz > 2)
            for (i = 1; i < nx - 1; i++)
                for (j = 1; j < ny - 1; j++)
                    memcpy(u + (i * ny + j) * nz + 1, w + (i * ny + j) * nz + 1,
                           (nz - 2) * sizeof(double));
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, c.nz));
        double *w = corpus_doubles("w", corpus_points(c.nx, c.ny, c.nz));
        jacobi3d(u, w, c.nx, c.ny, c.nz, c.steps);
        corpus_end();
    }
    return 0;
}
