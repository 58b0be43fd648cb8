/* Heat equation that writes down the sum of every step: beside the grids, right behind one of them, and in the midst of one,
   where later steps read it. */
#include "corpus.h"

__attribute__((noinline)) void heat(double *u, double *v, double *sums, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        double sum = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                v[k] = u[k] + 0.2 * (u[k - m] + u[k - 1] - 4.0 * u[k] + u[k + 1] + u[k + m]);
                sum += v[k] * v[k];
            }
        sums[t] = 1e-3 * sum;
        double *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points + corpus_points(c.steps, 1, 1));
        double *v = corpus_doubles("v", points + corpus_points(c.steps, 1, 1));
        double *sums = corpus_doubles("sums", corpus_points(c.steps, 1, 1));
        heat(u, v, sums, c.nx, c.ny, c.steps);
        heat(u, v, u + points, c.nx, c.ny, c.steps);
        heat(u, v, v + points / 2, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
