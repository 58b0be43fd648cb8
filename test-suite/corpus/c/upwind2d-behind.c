/* Two stores share a loop, and the second reads what the first has not reached yet: it comes first. */
#include "corpus.h"

CORPUS_HELPER void flow(double *u, double *v, double *w, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m - 1; j++) {
                v[i * m + j] = 0.5 * u[i * m + j] + 0.25 * u[i * m + j + 1];
                w[i * m + j] += 0.125 * (v[i * m + j + 1] - v[(i + 1) * m + j]);
            }
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m - 1; j++)
                u[i * m + j] = 0.75 * v[i * m + j] + 0.125 * w[i * m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points), *w = corpus_doubles("w", points);
        flow(u, v, w, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
