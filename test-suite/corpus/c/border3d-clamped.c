/* Neighbours beyond the border are the border itself, in three dimensions: 27 kinds of points. */
#include "corpus.h"

void diffuse(const float *power, float *now, float *next, int nx, int ny, int nz, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int x = 0; x < nx; x++)
            for (int y = 0; y < ny; y++)
                for (int z = 0; z < nz; z++) {
                    int c = (x * ny + y) * nz + z;
                    int before = x == 0 ? c : c - ny * nz, behind = x == nx - 1 ? c : c + ny * nz;
                    int above = y == 0 ? c : c - nz, below = y == ny - 1 ? c : c + nz;
                    int left = z == 0 ? c : c - 1, right = z == nz - 1 ? c : c + 1;
                    next[c] = 0.4f * now[c] + 0.1f * (now[before] + now[behind]) +
                              0.11f * (now[above] + now[below]) + 0.09f * (now[left] + now[right]) +
                              0.01f * power[c];
                }
        float *other = now;
        now = next;
        next = other;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        float *power = corpus_floats("power", points);
        float *now = corpus_floats("now", points), *next = corpus_floats("next", points);
        diffuse(power, now, next, c.nx, c.ny, c.nz, c.steps);
        corpus_end();
    }
    return 0;
}
