/* Each step allocates an array to work in, all zero at first, and frees it. */
#include "corpus.h"

#include <stdlib.h>

void run(double *u, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        double *rise = calloc((size_t)n * m, sizeof(double));
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                rise[i * m + j] = 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] -
                                         4.0 * u[i * m + j]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                u[i * m + j] += rise[i * m + j];
        free(rise);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        run(corpus_doubles("u", corpus_points(c.nx, c.ny, 1)), c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
