/* The residual is printed in each step, as the first sweep adds it up: that one stays where it is. The second does not
   know of it. */
#include "corpus.h"
#include <stdio.h>

void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        double residual = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
                residual += (v[i * m + j] - u[i * m + j]) * (v[i * m + j] - u[i * m + j]);
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = 0.5 * v[i * m + j] + 0.125 * (v[(i - 1) * m + j] + v[(i + 1) * m + j] +
                                                             v[i * m + j - 1] + v[i * m + j + 1]);
        printf("%d %g\n", t, residual);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
