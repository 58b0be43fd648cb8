/* Two grids that share memory, by a row and entirely: what the loop does then, it must go on doing. */
#include "corpus.h"

void relax(float *u, float *v, int nx, int ny, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                v[i * ny + j] = 0.25f * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] +
                                         u[i * ny + j - 1] + u[i * ny + j + 1]);
        float *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *a = corpus_floats("a", corpus_points(c.nx + 1, c.ny, 1));
        float *b = corpus_floats("b", corpus_points(c.nx, c.ny, 1));
        relax(a, a + c.ny, c.nx, c.ny, c.steps);
        relax(b, b, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
