/* Jacobi iteration that copies back; between its two sweeps each step prints how much has changed, and what one point is. */
#include "corpus.h"

#include <math.h>

int jacobi(double *u, double *v, int n, int m, int steps, double small)
{
    for (int t = 0; t < steps; t++) {
        double change = 0.0, sum = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                v[k] = 0.25 * (u[k - m] + u[k - 1] + u[k + 1] + u[k + m]);
                change = fmax(change, fabs(v[k] - u[k]));
                sum += v[k] * v[k];
            }
        printf("%d: %.17g %.17g %.17g\n", t, change, sum, v[n / 2 * m + m / 2]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j];
        if (change < small)
            return t;
    }
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        double *left = corpus_doubles("left", 1);
        *left = jacobi(u, v, c.nx, c.ny, c.steps, 0.01);
        corpus_end();
    }
    return 0;
}
