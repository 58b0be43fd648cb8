/* Seven points in single precision; the whole box is copied back by one loop, which counts in size_t. */
#include "corpus.h"

void heat(size_t nx, size_t ny, size_t nz, int steps, float *u, float *fresh)
{
    const size_t total = nx * ny * nz, row = nz, plane = ny * nz;

    for (int t = 0; t < steps; t++) {
        for (size_t i = 1; i + 1 < nx; i++)
            for (size_t j = 1; j + 1 < ny; j++)
                for (size_t k = 1; k + 1 < nz; k++) {
                    size_t p = i * plane + j * row + k;
                    fresh[p] = u[p] + 0.1f * (u[p - plane] + u[p + plane] + u[p - row] + u[p + row] + u[p - 1] +
                                              u[p + 1] - 6.0f * u[p]);
                }
        for (size_t p = 0; p < total; p++)
            u[p] = fresh[p];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, c.nz));
        float *fresh = corpus_floats("fresh", corpus_points(c.nx, c.ny, c.nz));
        heat((size_t)c.nx, (size_t)c.ny, (size_t)c.nz, c.steps, u, fresh);
        corpus_end();
    }
    return 0;
}
