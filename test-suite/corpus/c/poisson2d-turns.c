/* Which of two buffers is which depends on the step; the loop ends when the largest change is small. */
#include "corpus.h"
#include <math.h>

int poisson(double *a, double *b, const double *f, int n, int m, int steps)
{
    int now = 0, t = 0;
    double change = 1.0;
    double *grids[2] = {a, b};
    while (t < steps && change > 1e-3) {
        const double *u = grids[now];
        double *v = grids[1 - now];
        change = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double x = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] -
                                   f[i * m + j]);
                change = fmax(change, fabs(x - u[i * m + j]));
                v[i * m + j] = x;
            }
        now = 1 - now;
        t++;
    }
    return 2 * t + now;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        double *f = corpus_doubles("f", corpus_points(c.nx, c.ny, 1));
        corpus_value("ended", poisson(a, b, f, c.nx, c.ny, c.steps));
        corpus_end();
    }
    return 0;
}
