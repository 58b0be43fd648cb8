/* Gradient of a box, two arrays that change roles. */
#include "corpus.h"

#include <math.h>

static inline float sq(float x)
{
    return x * x;
}

float *gradient3d(float *u, float *v, int nx, int ny, int nz, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < nx - 1; i++) {
            for (int j = 1; j < ny - 1; j++) {
                for (int k = 1; k < nz - 1; k++) {
                    float c = u[(i * ny + j) * nz + k];
                    float s = 0.0001f + sq(c - u[((i - 1) * ny + j) * nz + k]) +
                              sq(c - u[((i + 1) * ny + j) * nz + k]) +
                              sq(c - u[(i * ny + j - 1) * nz + k]) +
                              sq(c - u[(i * ny + j + 1) * nz + k]) +
                              sq(c - u[(i * ny + j) * nz + k - 1]) +
                              sq(c - u[(i * ny + j) * nz + k + 1]);
                    v[(i * ny + j) * nz + k] = c + 1.0f / sqrtf(s);
                }
            }
        }
        float *tmp = u;
        u = v;
        v = tmp;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, c.nz));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, c.nz));
        float *last = gradient3d(u, v, c.nx, c.ny, c.nz, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
