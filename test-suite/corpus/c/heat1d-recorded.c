/* A line whose temperatures are written down step by step, beside a word every few steps. */
#include "corpus.h"

void heat(double *restrict u, double *restrict v, double *restrict all, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] + 0.2 * (u[i + 1] - 2 * u[i] + u[i - 1]);
        for (int i = 0; i < n; i++) {
            u[i] = v[i];
            all[t * n + i] = v[i];
        }
        if (t % 10 == 9)
            fprintf(stderr, "%d %g\n", t, u[n / 3]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, 1, 1), steps = c.steps > 0 ? c.steps : 0;
        double *a = corpus_doubles("a", points);
        double *b = corpus_doubles("b", points);
        double *all = corpus_doubles("all", points * steps);
        if (c.nx >= 1)
            heat(a, b, all, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
