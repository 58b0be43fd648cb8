/* Counters of loops are the file's, as in programs that grew; what the loops leave in them is looked at. */
#include "corpus.h"

int i, j;
static int t;

void heat(double *u, double *v, int n, int m, int steps)
{
    for (t = 0; t < steps; t++) {
        for (i = 1; i < n - 1; i++)
            for (j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        for (i = 1; i < n - 1; i++)
            for (j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    i = j = t = -7;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_value("i", i);
        corpus_value("j", j);
        corpus_value("t", t);
        corpus_end();
    }
    return 0;
}
