/* The wave equation with a point source that is added in each step, and a receiver that is read every few steps. */
#include "corpus.h"
#include <math.h>

enum { SAMPLES = 64 };

void wave(float *p, float *u, float *next, float *trace, int n, int m, int steps, float dt)
{
    int at = n / 2 * m + m / 2, listen = n / 3 * m + m / 3;

    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = 2.0f * u[i * m + j] - p[i * m + j] +
                                  0.2f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                          u[i * m + j + 1] - 4.0f * u[i * m + j]);
        float x = 3.0f * (dt * (float)t - 1.0f);
        next[at] += (1.0f - 2.0f * x * x) * expf(-x * x);
        float *tmp = p;
        p = u;
        u = next;
        next = tmp;
        if (t % 5 == 4)
            trace[t / 5 % SAMPLES] = u[listen];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *a = corpus_floats("a", points);
        float *b = corpus_floats("b", points);
        float *d = corpus_floats("d", points);
        float *trace = corpus_floats("trace", SAMPLES);
        if (points)
            wave(a, b, d, trace, c.nx, c.ny, c.steps, 0.05f);
        corpus_end();
    }
    return 0;
}
