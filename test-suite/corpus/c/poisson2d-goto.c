/* Jacobi's iteration as a label and two gotos: one goes on, the other one leaves once little changes. */
#include "corpus.h"
#include <math.h>

int jacobi(double *u, double *v, const double *f, int n, int m, int most, double tolerance)
{
    int t = 0;
again:
    if (t >= most)
        goto done;
    double change = 0.0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                   u[i * m + j + 1] - f[i * m + j]);
            change = fmax(change, fabs(v[i * m + j] - u[i * m + j]));
        }
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            u[i * m + j] = v[i * m + j];
    t++;
    if (change > tolerance)
        goto again;
done:
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points), *f = corpus_doubles("f", points);
        corpus_value("steps", jacobi(u, v, f, c.nx, c.ny, c.steps, 0.02));
        corpus_end();
    }
    return 0;
}
