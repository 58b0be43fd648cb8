/* Heat in a box, 27 distinct weights; sweep in a function, size_t, restrict. */
#include "corpus.h"

#define A(i, j, k) a[((i) * ny + (j)) * nz + (k)]
#define B(i, j, k) b[((i) * ny + (j)) * nz + (k)]

static void sweep27(const float *restrict a, float *restrict b, size_t nx, size_t ny, size_t nz)
{
    for (size_t i = 1; i + 1 < nx; i++) {
        for (size_t j = 1; j + 1 < ny; j++) {
            for (size_t k = 1; k + 1 < nz; k++) {
                B(i, j, k) =
                    0.0351f * A(i - 1, j - 1, k - 1) + 0.0352f * A(i - 1, j - 1, k) + 0.0353f * A(i - 1, j - 1, k + 1) +
                    0.0354f * A(i - 1, j, k - 1) + 0.0355f * A(i - 1, j, k) + 0.0356f * A(i - 1, j, k + 1) +
                    0.0357f * A(i - 1, j + 1, k - 1) + 0.0358f * A(i - 1, j + 1, k) + 0.0359f * A(i - 1, j + 1, k + 1) +
                    0.0360f * A(i, j - 1, k - 1) + 0.0361f * A(i, j - 1, k) + 0.0362f * A(i, j - 1, k + 1) +
                    0.0363f * A(i, j, k - 1) + 0.0364f * A(i, j, k) + 0.0365f * A(i, j, k + 1) +
                    0.0366f * A(i, j + 1, k - 1) + 0.0367f * A(i, j + 1, k) + 0.0368f * A(i, j + 1, k + 1) +
                    0.0369f * A(i + 1, j - 1, k - 1) + 0.0370f * A(i + 1, j - 1, k) + 0.0371f * A(i + 1, j - 1, k + 1) +
                    0.0372f * A(i + 1, j, k - 1) + 0.0373f * A(i + 1, j, k) + 0.0374f * A(i + 1, j, k + 1) +
                    0.0375f * A(i + 1, j + 1, k - 1) + 0.0376f * A(i + 1, j + 1, k) + 0.0377f * A(i + 1, j + 1, k + 1);
            }
        }
    }
}

float *heat27(float *a, float *b, size_t nx, size_t ny, size_t nz, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep27(a, b, nx, ny, nz);
        float *tmp = a;
        a = b;
        b = tmp;
    }
    return a;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *a = corpus_floats("a", corpus_points(c.nx, c.ny, c.nz));
        float *b = corpus_floats("b", corpus_points(c.nx, c.ny, c.nz));
        float *last = heat27(a, b, (size_t)c.nx, (size_t)c.ny, (size_t)c.nz, c.steps);
        corpus_value("last is a", last == a);
        corpus_end();
    }
    return 0;
}
