/* Poisson's equation in three dimensions, in single precision: left in the middle of the loop when the sum of all changes
   lies between two numbers, and the sum of their magnitudes is small. */
#include "corpus.h"
#include <math.h>

static int poisson(float *u, float *next, const float *source, int n, int m, int l, int steps, float tolerance)
{
    for (int t = 0; t < steps; t++) {
        float sum = 0.25f, all = 0.0f;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++) {
                    int at = (i * m + j) * l + k;
                    next[at] = (u[at - m * l] + u[at + m * l] + u[at - l] + u[at + l] + u[at - 1] + u[at + 1] -
                                0.01f * source[at]) /
                               6.0f;
                    sum -= next[at] - u[at];
                    all += fabsf(next[at] - u[at]);
                }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++) {
                    int at = (i * m + j) * l + k;
                    u[at] = next[at];
                }
        if (sum < tolerance && -0.5f * sum <= tolerance && all / (n * m) < 4.0f * tolerance)
            return t;
    }
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        float *u = corpus_floats("u", points);
        float *next = corpus_floats("next", points);
        float *source = corpus_floats("source", points);
        corpus_value("steps taken", poisson(u, next, source, c.nx, c.ny, c.nz, c.steps, 0.5f));
        corpus_end();
    }
    return 0;
}
