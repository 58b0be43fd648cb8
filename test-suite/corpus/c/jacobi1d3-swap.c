/* Heat in a rod, explicit Euler: two arrays that change roles after each step. */
#include "corpus.h"

double *rod(double *u, double *unew, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            unew[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
        double *tmp = u;
        u = unew;
        unew = tmp;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        double *unew = corpus_doubles("unew", corpus_points(c.nx, 1, 1));
        double *last = rod(u, unew, c.nx, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
