/* Borders at the place where a loop has left its counter, and one before it. */
#include "corpus.h"

CORPUS_HELPER void heat(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        int i;
        for (i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
        v[0] = 0.5 * (v[0] + v[1]);
        v[i] = 0.5 * (v[i] + v[i - 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, 1, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        if (points > 2)
            heat(u, v, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
