/* A loop over samples around a time loop that prints now and then: between the samples the grids are looked at cell by
   cell, every other sample is written by somebody whom the loop does not know, and one changes the grid's memory. */
#include "corpus.h"

typedef void sampler(double *, size_t);

static void halve(double *u, size_t count)
{
    for (size_t i = 0; i < count; i += 7)
        u[i] *= 0.5;
}

static sampler *volatile who = halve;

CORPUS_HELPER double heat(double *u, double *v, int n, int m, int samples)
{
    double trace = 0.0;
    int most = samples < 9 ? samples : 9;

    for (int s = 0; s < most; s++) {
        for (int t = 0; t < 7; t++) {
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                           u[i * m + j + 1]);
            double *tmp = u;
            u = v;
            v = tmp;
            if (t == 2)
                printf("sample %d: %a\n", s, u[n / 2 * m + m / 2]);
        }
        trace += u[n / 3 * m + m / 3] - v[m - 1];
        if (s % 4 == 1)
            who(u, (size_t)n * (size_t)m);
        if (s == 5)
            u[(n - 1) * m] = trace;
    }
    return trace;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *trace = corpus_doubles("trace", 1);
        if (points)
            *trace = heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
