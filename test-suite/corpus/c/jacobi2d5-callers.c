/* Jacobi iteration on the caller's two pointers, which change places in memory after each sweep but the last. */
#include "corpus.h"
#include <math.h>

static double relax(const double *u, double *v, int n, int m)
{
    double change = 0.0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
            double d = fabs(v[i * m + j] - u[i * m + j]);
            if (d > change)
                change = d;
        }
    return change;
}

__attribute__((noinline)) static int solve(double **u, double **v, int n, int m, int steps, double tolerance)
{
    int t;
    for (t = 0; t < steps; t++) {
        double change = relax(*u, *v, n, m);
        if (change < tolerance)
            break;
        double *tmp = *u;
        *u = *v;
        *v = tmp;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        double *now = u, *next = v;
        int taken = 0;
        if (points)
            taken = solve(&now, &next, c.nx, c.ny, c.steps, 0.02);
        corpus_value("taken", taken);
        corpus_value("swapped", now != u);
        corpus_end();
    }
    return 0;
}
