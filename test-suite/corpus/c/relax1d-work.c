/* A line relaxes until it hardly changes; each sweep has an array of its own to work in. */
#include "corpus.h"

#include <math.h>

int relax(double *u, int n, int steps, double tolerance)
{
    int t;
    for (t = 0; t < steps; t++) {
        double v[n], change = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            change = fmax(change, fabs(v[i] - u[i]));
        }
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
        if (change < tolerance)
            break;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        int *t = corpus_ints("t", 1);
        t[0] = relax(u, c.nx, c.steps, 0.02);
        corpus_end();
    }
    return 0;
}
