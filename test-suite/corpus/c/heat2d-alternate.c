/* Even steps go from the first grid to the second, odd ones back: written as two calls. What is in it is asked for now and
 * then. */
#include "corpus.h"

static void step(int n, int m, const double *restrict u, double *restrict v)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                 u[i * m + j + 1] - 4.0 * u[i * m + j]);
}

double heat(double *a, double *b, int n, int m, int steps)
{
    double seen = 0.0;
    for (int t = 0; t < steps; t++) {
        if (t % 2 == 0)
            step(n, m, a, b);
        else
            step(n, m, b, a);
        if (t % 8 == 5)
            seen += (t % 2 == 0 ? b : a)[m + 1];
    }
    return seen;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        corpus_value("seen", (long)(1e6 * heat(a, b, c.nx, c.ny, c.steps)));
        corpus_end();
    }
    return 0;
}
