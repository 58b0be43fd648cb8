/* Relaxation around obstacles, in single precision and along columns: only free cells count for the sum that ends the
   loop, which is left in its middle; rows and columns are walked in the other order than they lie in memory. */
#include "corpus.h"
#include <math.h>

static int relax(float *u, float *v, const int *solid, int n, int m, int steps, float tolerance, double *reached)
{
    for (int t = 0; t < steps; t++) {
        float sum = 0.0f;
        for (int j = 1; j < m - 1; j++)
            for (int i = 1; i < n - 1; i++) {
                float s = u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1];
                v[i * m + j] = u[i * m + j] + 0.5f * (0.25f * s - u[i * m + j]);
                if (!(solid[i * m + j] & 3)) {
                    float change = (v[i * m + j] - u[i * m + j]) / (1.0f + fabsf(u[i * m + j]));
                    sum += change * change;
                }
            }
        float *tmp = u;
        u = v;
        v = tmp;
        if (sqrtf(sum) * 2.0f < tolerance) {
            *reached = sum;
            return t;
        }
    }
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *u = corpus_floats("u", points);
        float *v = corpus_floats("v", points);
        int *solid = corpus_ints("solid", points);
        double *reached = corpus_doubles("reached", 1);
        corpus_value("steps taken", relax(u, v, solid, c.nx, c.ny, c.steps, 2.5f, reached));
        corpus_end();
    }
    return 0;
}
