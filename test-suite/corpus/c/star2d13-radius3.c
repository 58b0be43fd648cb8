/* Sixth-order diffusion, a star of radius three; both levels in one flat array. */
#include "corpus.h"

void diffuse6(float *u, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        const float *a = u + (size_t)(t % 2) * n * m;
        float *b = u + (size_t)((t + 1) % 2) * n * m;
        for (int i = 3; i < n - 3; i++)
            for (int j = 3; j < m - 3; j++)
                b[i * m + j] =
                    0.4f * a[i * m + j] +
                    0.15f * (a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] +
                             a[(i + 1) * m + j]) -
                    0.015f * (a[i * m + j - 2] + a[i * m + j + 2] + a[(i - 2) * m + j] +
                              a[(i + 2) * m + j]) +
                    0.0011f * (a[i * m + j - 3] + a[i * m + j + 3] + a[(i - 3) * m + j] +
                               a[(i + 3) * m + j]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(2, c.nx, c.ny));
        diffuse6(u, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
