/* Laplace's equation by Jacobi iteration; time loop and sweep in one function. */
#include "corpus.h"

double *jacobi(double *a, double *b, int n, int m, int steps)
{
    int i, j, t;
    double *tmp;

    for (t = 0; t < steps; t++) {
        for (i = 1; i < n - 1; i++)
            for (j = 1; j < m - 1; j++)
                b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] +
                                       a[i * m + j - 1] + a[i * m + j + 1]);
        tmp = a;
        a = b;
        b = tmp;
    }
    return a;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        double *last = jacobi(a, b, c.nx, c.ny, c.steps);
        corpus_value("last is a", last == a);
        corpus_end();
    }
    return 0;
}
