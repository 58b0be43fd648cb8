/* Acoustic wave in a medium of varying speed: three time levels, rotated. */
#include "corpus.h"

#define IDX(i, j) ((i) * ny + (j))

float *propagate(float *prev, float *cur, float *next, const float *vel, int nx, int ny, int nt)
{
    for (int it = 0; it < nt; it++) {
        for (int i = 1; i < nx - 1; i++) {
            for (int j = 1; j < ny - 1; j++) {
                float lap = cur[IDX(i - 1, j)] + cur[IDX(i + 1, j)] + cur[IDX(i, j - 1)] +
                            cur[IDX(i, j + 1)] - 4.0f * cur[IDX(i, j)];
                next[IDX(i, j)] = 2.0f * cur[IDX(i, j)] - prev[IDX(i, j)] + vel[IDX(i, j)] * lap;
            }
        }
        float *oldest = prev;
        prev = cur;
        cur = next;
        next = oldest;
    }
    return cur;
}

/* Layers of different speed, some of them hard. */
static void medium(float *vel, int layers, size_t thickness)
{
    for (int l = 0; l < layers; l++)
        for (size_t p = 0; p < thickness; p++)
            vel[l * thickness + p] = 0.05f + 0.25f * (float)(l % 5) / 5.0f;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *p0 = corpus_floats("p0", points);
        float *p1 = corpus_floats("p1", points);
        float *p2 = corpus_floats("p2", points);
        float *vel = corpus_floats("vel", points);
        medium(vel, c.nx, corpus_points(1, c.ny, 1));
        float *last = propagate(p0, p1, p2, vel, c.nx, c.ny, c.steps);
        corpus_value("last", last == p0 ? 0 : last == p1 ? 1 : 2);
        corpus_end();
    }
    return 0;
}
