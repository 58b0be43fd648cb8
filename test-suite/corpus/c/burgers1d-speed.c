/* The time step follows from the largest speed, which each step finds before its sweep. */
#include "corpus.h"
#include <math.h>

double burgers(double *u, double *v, int n, int steps)
{
    double time = 0.0, dx = 1.0 / (n + 1);
    for (int t = 0; t < steps && time < 0.5; t++) {
        double fastest = 1e-3;
        for (int i = 0; i < n; i++)
            fastest = fmax(fastest, fabs(u[i]));
        double dt = 0.4 * dx / fastest;
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] - 0.5 * dt / dx * (u[i + 1] * u[i + 1] - u[i - 1] * u[i - 1]) +
                   0.2 * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
        double *w = u;
        u = v;
        v = w;
        time += dt;
    }
    return time;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, 1, 1));
        double *time = corpus_doubles("time", 1);
        *time = burgers(u, v, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
