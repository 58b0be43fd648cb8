/* Two-dimensional FDTD on flat restrict arrays, a source line in each step. */
#include "corpus.h"

void fdtd2d(double *restrict ex, double *restrict ey, double *restrict hz,
            const double *restrict source, long nx, long ny, long nt)
{
    for (long t = 0; t < nt; t++) {
        for (long j = 0; j < ny; j++)
            ey[j] = source[t];
        for (long i = 1; i < nx; i++)
            for (long j = 0; j < ny; j++)
                ey[i * ny + j] = ey[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
        for (long i = 0; i < nx; i++)
            for (long j = 1; j < ny; j++)
                ex[i * ny + j] = ex[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
        for (long i = 0; i < nx - 1; i++)
            for (long j = 0; j < ny - 1; j++)
                hz[i * ny + j] = hz[i * ny + j] - 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] +
                                                         ey[(i + 1) * ny + j] - ey[i * ny + j]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *ex = corpus_doubles("ex", points);
        double *ey = corpus_doubles("ey", points);
        double *hz = corpus_doubles("hz", points);
        double *source = corpus_doubles("source", corpus_points(c.steps, 1, 1));
        fdtd2d(ex, ey, hz, source, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
