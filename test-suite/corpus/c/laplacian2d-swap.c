/* A plane smoothed by its discrete Laplacian. */
#include "corpus.h"

#define U(i, j) u[(long)(i) * n + (j)]
#define V(i, j) v[(long)(i) * n + (j)]

float *laplacian(float *u, float *v, int m, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < m - 1; i++)
            for (int j = 1; j < n - 1; j++)
                V(i, j) = U(i, j) - 0.2f * (4.0f * U(i, j) - U(i - 1, j) - U(i, j - 1) - U(i, j + 1) - U(i + 1, j));
        float *w = u;
        u = v;
        v = w;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        float *last = laplacian(u, v, c.nx, c.ny, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
