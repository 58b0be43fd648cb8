/* Power iteration: each step divides by the norm of what it has just computed. */
#include "corpus.h"
#include <math.h>

float power(float *u, float *v, int n, int m, int steps)
{
    float norm = 0.0f;
    for (int t = 0; t < steps; t++) {
        float sum = 1e-6f;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                v[k] = 5.0f * u[k] - u[k - m] - u[k - 1] - u[k + 1] - u[k + m];
                sum += v[k] * v[k];
            }
        norm = sqrtf(sum);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j] / norm;
    }
    return norm;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        float *norm = corpus_floats("norm", 1);
        *norm = power(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
