/* The sine-Gordon equation, and a source that decays: functions of libm in the body. */
#include "corpus.h"
#include <math.h>

void sine_gordon(double *old, double *u, const double *x, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            old[i] = 2.0 * u[i] - old[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) -
                     0.01 * sin(u[i]) + 0.001 * exp(-x[i] * x[i]) * pow(fabs(u[i]), 0.75);
        double *tmp = old;
        old = u;
        u = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *old = corpus_doubles("old", corpus_points(c.nx, 1, 1));
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        double *x = corpus_doubles("x", corpus_points(c.nx, 1, 1));
        if (c.nx > 0) {
            old[0] = u[0];
            old[c.nx - 1] = u[c.nx - 1];
        }
        sine_gordon(old, u, x, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
