/* Each step writes down how many hot points there have been so far and what one point between its two sweeps holds, and looks
   at the largest value behind them: one step at a time, with a point's value that is stored by the blocks that have it only. */
#include "corpus.h"

#include <math.h>
#include <stdio.h>

void heat(double *u, double *v, int n, int m, int steps, double r, double *end, FILE *to)
{
    int hot = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double x = u[i * m + j];
                v[i * m + j] = x + r * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                        u[i * m + j + 1] - 4 * x);
                if (v[i * m + j] > 1.7)
                    hot++;
            }
        fprintf(to, "%d: %a %d\n", t, v[n / 2 * m + m / 2], hot);
        double most = 0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                u[i * m + j] = 0.5 * v[i * m + j] + 0.125 * (v[(i - 1) * m + j] + v[(i + 1) * m + j] +
                                                            v[i * m + j - 1] + v[i * m + j + 1]);
                most = fmax(most, fabs(u[i * m + j]));
            }
        if (most > 1e9)
            break;
    }
    *end = hot;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        heat(u, v, c.nx, c.ny, c.steps, 0.2, corpus_doubles("hot", 1), stdout);
        corpus_end();
    }
    return 0;
}
