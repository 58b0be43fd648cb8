/* Heat in an insulated rod: the end points follow their neighbours in each step. */
#include "corpus.h"

double *insulated(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; ++t) {
        for (int i = 1; i < n - 1; ++i)
            v[i] = u[i] + 0.3 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        v[0] = v[1];
        v[n - 1] = v[n - 2];

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
        double *last = insulated(u, v, c.nx, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
