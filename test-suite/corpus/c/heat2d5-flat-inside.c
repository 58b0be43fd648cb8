/* Five points with a source; what a step changes is added by one loop from the first inner point to the last, over the
   ends of rows, where the change stays zero. */
#include "corpus.h"

void heat(int n, int m, int steps, double *u, double *change)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                change[i * m + j] = 0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] -
                                           4.0 * u[i * m + j]);
        for (int k = m + 1; k < (n - 1) * m - 1; k++)
            u[k] += change[k];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *change = corpus_doubles("change", corpus_points(c.nx, c.ny, 1));
        heat(c.nx, c.ny, c.steps, u, change);
        corpus_end();
    }
    return 0;
}
