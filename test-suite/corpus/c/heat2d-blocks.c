/* Heat equation whose sweeps are cut into blocks by hand: of so many points each, and into so many of them. */
#include "corpus.h"

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

__attribute__((noinline)) void heat(double *u, double *v, int n, int m, int block, int blocks, int steps)
{
    int rows = (n + blocks - 1) / blocks;
    for (int t = 0; t < steps; t++) {
        for (int ii = 1; ii < n - 1; ii += block)
            for (int jj = 1; jj < m - 1; jj += 2 * block)
                for (int i = ii; i < smaller(ii + block, n - 1); i++)
                    for (int j = jj; j < jj + 2 * block && j < m - 1; j++)
                        v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                               u[i * m + j + 1]);
        for (int b = 0; b < blocks; b++)
            for (int i = 1 + b * rows; i <= smaller((b + 1) * rows, n - 2); i++)
                for (int j = 1; j < m - 1; j++)
                    u[i * m + j] = v[i * m + j] + 0.1 * (v[(i - 1) * m + j] - v[(i + 1) * m + j]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        heat(u, v, c.nx, c.ny, 5, 4, c.steps);
        corpus_end();
    }
    return 0;
}
