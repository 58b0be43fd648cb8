/* Five points, in place from a copy; of the last row the copy leaves three points out. */
#include "corpus.h"

void heat(int n, int m, int points, int steps, double *u, double *old)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < points; k++)
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
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *old = corpus_doubles("old", corpus_points(c.nx, c.ny, 1));
        heat(c.nx, c.ny, (int)corpus_points(c.nx, c.ny, 1) - 3, c.steps, u, old);
        corpus_end();
    }
    return 0;
}
