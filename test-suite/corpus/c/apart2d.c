/* Five points, in place from a copy that begins one row further in the same memory. */
#include "corpus.h"

void heat(int n, int m, int steps, double *u, double *old)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < n * m; k++)
            old[k] = u[k];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = 0.25 * (old[(i - 1) * m + j] + old[(i + 1) * m + j] + old[i * m + j - 1] +
                                       old[i * m + j + 1]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx + 1, c.ny, 1));
        heat(c.nx, c.ny, c.steps, u, u + c.ny);
        corpus_end();
    }
    return 0;
}
