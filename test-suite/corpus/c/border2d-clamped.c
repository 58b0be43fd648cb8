/* Neighbours beyond the border are the border itself: subscripts are clamped in the body. */
#include "corpus.h"

void blur(float *u, float *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int up = i > 0 ? i - 1 : 0, down = i < n - 1 ? i + 1 : n - 1;
                int left = j > 0 ? j - 1 : 0, right = j < m - 1 ? j + 1 : m - 1;
                v[i * m + j] = 0.2f * (u[up * m + j] + u[down * m + j] + u[i * m + left] +
                                       u[i * m + right] + u[i * m + j]);
            }
        float *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        blur(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
