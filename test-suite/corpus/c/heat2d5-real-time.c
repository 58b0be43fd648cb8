/* Heat on a plate until a time that is counted in floating point, warmed evenly by what depends on the time; a line of
   progress every few steps. */
#include "corpus.h"
#include <math.h>

double *heat(double *u, double *v, int n, int m, double end, double dt)
{
    double time = 0.0;
    int step = 0;

    while (time < end) {
        double warmth = 0.01 * dt * sin(3.0 * time);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + warmth +
                               dt * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        double *tmp = u;
        u = v;
        v = tmp;
        time += dt;
        if (++step % 7 == 0)
            printf("step %d, time %.17g\n", step, time);
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        double *last = heat(u, v, c.nx, c.ny, 0.1 * c.steps, 0.1);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
