/* Smoothing by geometric means; where the signs of the neighbours differ there is no such mean. */
#include "corpus.h"

#include <math.h>

float *smooth(float *u, float *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5f * u[i] + 0.5f * sqrtf(u[i - 1] * u[i + 1]);
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
        float *u = corpus_floats("u", corpus_points(c.nx, 1, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, 1, 1));
        float *last = smooth(u, v, c.nx, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
