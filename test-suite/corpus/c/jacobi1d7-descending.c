/* Sixth-order diffusion with unsigned indices; counts the remaining steps down. */
#include "corpus.h"

double *diffuse(double *restrict u, double *restrict v, unsigned n, int steps, double nu)
{
    for (int left = steps; left > 0; left--) {
        for (unsigned i = 3; i < n - 3; i++)
            v[i] = u[i] + nu * (2.0 * (u[i - 3] + u[i + 3]) - 27.0 * (u[i - 2] + u[i + 2]) +
                                270.0 * (u[i - 1] + u[i + 1]) - 490.0 * u[i]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, 1, 1));
        double *last = diffuse(u, v, (unsigned)c.nx, c.steps, 0.001);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
