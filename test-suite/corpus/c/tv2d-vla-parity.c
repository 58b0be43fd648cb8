/* Total-variation flow of an image, explicit step on variable-length arrays. */
#include "corpus.h"

#include <math.h>

static inline float weight(float dx, float dy)
{
    return 1.0f / sqrtf(0.0001f + dx * dx + dy * dy);
}

void tv_flow(int h, int w, float u[2][h][w], float dt, int steps)
{
    for (int t = 0; t < steps; t++) {
        float(*a)[w] = u[t % 2];
        float(*b)[w] = u[(t + 1) % 2];
        for (int i = 1; i < h - 1; i++)
            for (int j = 1; j < w - 1; j++) {
                float here = weight(a[i + 1][j] - a[i][j], a[i][j + 1] - a[i][j]);
                float north = weight(a[i][j] - a[i - 1][j], a[i - 1][j + 1] - a[i - 1][j]);
                float west = weight(a[i + 1][j - 1] - a[i][j - 1], a[i][j] - a[i][j - 1]);
                b[i][j] = a[i][j] + dt * (here * (a[i + 1][j] + a[i][j + 1] - 2.0f * a[i][j]) -
                                          north * (a[i][j] - a[i - 1][j]) -
                                          west * (a[i][j] - a[i][j - 1]));
            }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(2, c.nx, c.ny));
        tv_flow(c.nx, c.ny, (float(*)[c.nx][c.ny])u, 0.001f, c.steps);
        corpus_end();
    }
    return 0;
}
