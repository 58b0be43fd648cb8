/* Five points, two sweeps a step: from a to b and back again. */
#include "corpus.h"

static void average(int nx, int ny, const float *from, float *to)
{
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            to[i * ny + j] = 0.2f * (from[i * ny + j] + from[i * ny + j - 1] + from[i * ny + j + 1] +
                                     from[(i + 1) * ny + j] + from[(i - 1) * ny + j]);
}

void iterate(int nx, int ny, float *a, float *b, int pairs)
{
    for (int t = 0; t < pairs; t++) {
        average(nx, ny, a, b);
        average(nx, ny, b, a);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *a = corpus_floats("a", corpus_points(c.nx, c.ny, 1));
        float *b = corpus_floats("b", corpus_points(c.nx, c.ny, 1));
        iterate(c.nx, c.ny, a, b, c.steps);
        corpus_end();
    }
    return 0;
}
