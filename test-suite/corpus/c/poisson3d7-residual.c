/* Poisson's equation in three dimensions: sweep, then the largest residual while the new values are copied back; the
   loop is left in the middle of it when that is small. */
#include "corpus.h"
#include <math.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

int poisson(double *u, double *next, const double *source, int n, int m, int l, int steps, double tolerance)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++) {
                    int at = (i * m + j) * l + k;
                    next[at] = (u[at - m * l] + u[at + m * l] + u[at - l] + u[at + l] + u[at - 1] + u[at + 1] -
                                source[at]) /
                               6.0;
                }
        double largest = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++) {
                    int at = (i * m + j) * l + k;
                    largest = MAX(largest, fabs(next[at] - u[at]));
                    u[at] = next[at];
                }
        if (largest < tolerance)
            return t;
    }
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        double *u = corpus_doubles("u", points);
        double *next = corpus_doubles("next", points);
        double *source = corpus_doubles("source", points);
        corpus_value("steps taken", poisson(u, next, source, c.nx, c.ny, c.nz, c.steps, 0.05));
        corpus_end();
    }
    return 0;
}
