/* The wave equation with a source and two receivers that are heard in each step: one right at a point, one between two
 * points, at every second place of what is kept. */
#include "corpus.h"

void wave(double *restrict p, double *restrict u, double *restrict next, double *restrict trace,
          float *restrict pairs, int n, int m, int steps)
{
    int at = n / 2 * m + m / 2, near = n / 3 * m + m / 3, far = 2 * n / 3 * m + m / 4;

    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = 2.0 * u[i * m + j] - p[i * m + j] +
                                  0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                         u[i * m + j + 1] - 4.0 * u[i * m + j]);
        next[at] += (double)(t % 7 - 3) * 0.125;
        trace[t] = next[near];
        pairs[2 * t + 1] = (float)(0.75 * next[far] + 0.25 * next[far + 1]);
        double *old = p;
        p = u;
        u = next;
        next = old;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1), steps = c.steps > 0 ? c.steps : 0;
        double *a = corpus_doubles("a", points);
        double *b = corpus_doubles("b", points);
        double *d = corpus_doubles("d", points);
        double *trace = corpus_doubles("trace", steps);
        float *pairs = corpus_floats("pairs", 2 * steps);
        if (c.nx >= 2 && c.ny >= 2)
            wave(a, b, d, trace, pairs, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
