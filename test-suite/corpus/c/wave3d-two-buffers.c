/* Wave in a box: the new level overwrites the oldest, then the two change roles. */
#include "corpus.h"

float *wave3d(float *old, float *now, const float *c2, int nx, int ny, int nz, int steps)
{
    const int sx = ny * nz, sy = nz;

    for (int t = 0; t < steps; t++) {
        for (int x = 1; x < nx - 1; x++) {
            for (int y = 1; y < ny - 1; y++) {
                for (int z = 1; z < nz - 1; z++) {
                    int p = x * sx + y * sy + z;
                    float lap = now[p - sx] + now[p + sx] + now[p - sy] + now[p + sy] + now[p - 1] +
                                now[p + 1] - 6.0f * now[p];
                    old[p] = 2.0f * now[p] - old[p] + c2[p] * lap;
                }
            }
        }
        float *tmp = old;
        old = now;
        now = tmp;
    }
    return now;
}

/* Layers of different speed, some of them hard. */
static void medium(float *c2, int layers, size_t thickness)
{
    for (int l = 0; l < layers; l++)
        for (size_t p = 0; p < thickness; p++)
            c2[l * thickness + p] = 0.05f + 0.25f * (float)(l % 5) / 5.0f;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *old = corpus_floats("old", corpus_points(c.nx, c.ny, c.nz));
        float *now = corpus_floats("now", corpus_points(c.nx, c.ny, c.nz));
        float *c2 = corpus_floats("c2", corpus_points(c.nx, c.ny, c.nz));
        medium(c2, c.nx, corpus_points(1, c.ny, c.nz));
        float *last = wave3d(old, now, c2, c.nx, c.ny, c.nz, c.steps);
        corpus_value("last is now", last == now);
        corpus_end();
    }
    return 0;
}
