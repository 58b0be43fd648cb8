/* Each step allocates the array that it writes, and frees the one that it has read. */
#include "corpus.h"

#include <stdlib.h>
#include <string.h>

static double *step(const double *u, int n, int m)
{
    double *v = malloc(sizeof(double) * n * m);
    if (!v)
        exit(1);
    memcpy(v, u, sizeof(double) * n * m);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                 u[i * m + j + 1] - 4.0 * u[i * m + j]);
    return v;
}

double *run(double *u, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        double *next = step(u, n, m);
        free(u);
        u = next;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *out = corpus_doubles("u", points), *u = malloc(sizeof(double) * (points + 1));
        memcpy(u, out, sizeof(double) * points);
        u = run(u, c.nx, c.ny, c.steps);
        memcpy(out, u, sizeof(double) * c.nx * c.ny);
        free(u);
        corpus_end();
    }
    return 0;
}
