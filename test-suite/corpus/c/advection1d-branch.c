/* Upwind differences chosen by an if; halves and whole numbers of the result. */
#include "corpus.h"
#include <math.h>

void advect(double *u, double *v, const double *speed, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            double slope;
            if (speed[i] > 0.0)
                slope = u[i] - u[i - 1];
            else
                slope = u[i + 1] - u[i];
            double next = u[i] - 0.5 * speed[i] * slope;
            if (next > 40.0)
                next = floor(next);
            else if (next < -40.0)
                next = ceil(next) + 0.125 * round(slope) + rint(0.5 * slope);
            v[i] = next;
        }
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, 1, 1));
        double *speed = corpus_doubles("speed", corpus_points(c.nx, 1, 1));
        advect(u, v, speed, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
