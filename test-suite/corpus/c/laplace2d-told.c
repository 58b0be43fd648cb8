/* Somebody is told where the change and the number of steps are, once the loop has ended. */
#include "corpus.h"
#include <math.h>

static void tell(const double *change, const int *steps)
{
    corpus_value("change", *change);
    corpus_value("steps", *steps);
}

static void (*volatile told)(const double *, const int *) = tell;

void laplace(double *restrict u, double *restrict v, int n, int m, int most)
{
    double change = 1.0;
    int steps = 0;
    while (change > 1e-2 && steps < most) {
        change = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                change = fmax(change, fabs(v[i * m + j] - u[i * m + j]));
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j];
        steps++;
    }
    told(&change, &steps);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        laplace(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
