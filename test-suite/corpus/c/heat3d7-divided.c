/* Seven points, one loop over the whole grid and one that copies it back: plane, row and column by division. */
#include "corpus.h"

void heat(int n, int m, int l, int steps, float *a, float *b)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < n * m * l; k++) {
            int i = k / (m * l), j = k / l % m, p = k % l;
            if (i > 0 && i < n - 1 && j > 0 && j < m - 1 && p > 0 && p < l - 1)
                b[k] = a[k] + 0.1f * (a[k - 1] + a[k + 1] + a[k - l] + a[k + l] + a[k - m * l] +
                                      a[k + m * l] - 6 * a[k]);
            else
                b[k] = a[k];
        }
        for (int k = 0; k < n * m * l; k++)
            a[k] = b[k];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *a = corpus_floats("a", corpus_points(c.nx, c.ny, c.nz));
        float *b = corpus_floats("b", corpus_points(c.nx, c.ny, c.nz));
        heat(c.nx, c.ny, c.nz, c.steps, a, b);
        corpus_end();
    }
    return 0;
}
