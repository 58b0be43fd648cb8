/* Five weighted points; the sweep is a function of its own, restrict on both arrays. */
#include "corpus.h"

static void sweep(const float *restrict in, float *restrict out, int nx, int ny)
{
    for (int i = 1; i < nx - 1; i++) {
        for (int j = 1; j < ny - 1; j++) {
            out[i * ny + j] = 0.25f * in[i * ny + j] + 0.1873f * in[(i - 1) * ny + j] +
                              0.1874f * in[(i + 1) * ny + j] + 0.1876f * in[i * ny + j - 1] +
                              0.1877f * in[i * ny + j + 1];
        }
    }
}

float *relax(float *u, float *v, int nx, int ny, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep(u, v, nx, ny);
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
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        float *last = relax(u, v, c.nx, c.ny, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
