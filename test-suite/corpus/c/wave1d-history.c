/* A string, of which every step is kept and the two last ones are needed. */
#include "corpus.h"

void wave(int n, int steps, double (*u)[n])
{
    for (int t = 1; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            u[t + 1][i] = 2.0 * u[t][i] - u[t - 1][i] + 0.25 * (u[t][i - 1] - 2.0 * u[t][i] + u[t][i + 1]);
        u[t + 1][0] = u[t][1];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.steps > 0 ? c.steps + 1 : 1, 1));
        wave(c.nx, c.steps, (double(*)[c.nx])u);
        corpus_end();
    }
    return 0;
}
