/* Heat in a box, seven points. */
#include "corpus.h"

float *heat3d(float *a, float *b, int nx, int ny, int nz, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                for (int k = 1; k < nz - 1; k++)
                    b[(i * ny + j) * nz + k] =
                        0.25f * a[(i * ny + j) * nz + k] + 0.1248f * a[((i - 1) * ny + j) * nz + k] +
                        0.1249f * a[((i + 1) * ny + j) * nz + k] +
                        0.1250f * a[(i * ny + j - 1) * nz + k] +
                        0.1251f * a[(i * ny + j + 1) * nz + k] +
                        0.1252f * a[(i * ny + j) * nz + k - 1] +
                        0.1253f * a[(i * ny + j) * nz + k + 1];
        float *tmp = a;
        a = b;
        b = tmp;
    }
    return a;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *a = corpus_floats("a", corpus_points(c.nx, c.ny, c.nz));
        float *b = corpus_floats("b", corpus_points(c.nx, c.ny, c.nz));
        float *last = heat3d(a, b, c.nx, c.ny, c.nz, c.steps);
        corpus_value("last is a", last == a);
        corpus_end();
    }
    return 0;
}
