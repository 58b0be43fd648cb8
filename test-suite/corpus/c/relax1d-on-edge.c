/* Steps whose sum is, to the last bit, what it is compared with, for many steps; then a NaN comes in. No order of
   additions but the loop's own says when to stop. */
#include "corpus.h"
#include <math.h>

static int relax(double *u, double *v, const double *weight, int n, int steps, double edge)
{
    int t = 0;
    for (double sum = edge; sum >= edge && t < steps; t++) {
        sum = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
            sum += weight[i] + 1e-300 * (v[i] - u[i]);
        }
        double *tmp = u;
        u = v;
        v = tmp;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, 1, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        double *weight = corpus_doubles("weight", points);
        double edge = 0.0;
        for (int i = 1; i < c.nx - 1; i++)
            edge += weight[i] = 0.1 + 0.01 * (i % 7);
        if (c.nx > 6)
            u[2] = v[2] = c.nx % 2 ? 1e308 : 0.5;
        corpus_value("taken", relax(u, v, weight, c.nx, c.steps, edge));
        corpus_value("with more", relax(u, v, weight, c.nx, c.steps, nextafter(edge, 0.0)));
        corpus_value("with less", relax(u, v, weight, c.nx, c.steps, nextafter(edge, 1e9)));
        if (c.nx > 6)
            u[c.nx / 2] = v[c.nx / 2] = NAN;
        corpus_value("with NaN", relax(u, v, weight, c.nx, c.steps, edge));
        corpus_end();
    }
    return 0;
}
