/* Heat equation that writes down the mean slope of every step, of the points that are no wall: square roots in a sum. */
#include "corpus.h"
#include <math.h>

static float slope(const float *u, const int *wall, int n, int m)
{
    float sum = 0.0f;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            if (!(wall[i * m + j] & 1)) {
                float x = u[i * m + j + 1] - u[i * m + j - 1];
                float y = u[(i + 1) * m + j] - u[(i - 1) * m + j];
                sum += sqrtf(x * x + y * y);
            }
    return sum / (float)((n - 2) * (m - 2));
}

static void heat(float *u, float *v, const int *wall, float *mean, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.5f * u[i * m + j] + 0.125f * (u[(i - 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] +
                                                               u[(i + 1) * m + j]);
        mean[t] = slope(v, wall, n, m);
        float *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *u = corpus_floats("u", points);
        float *v = corpus_floats("v", points);
        int *wall = corpus_ints("wall", points);
        float *mean = corpus_floats("mean", corpus_points(c.steps, 1, 1));
        heat(u, v, wall, mean, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
