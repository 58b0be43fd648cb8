/* The wave equation with a source and five receivers, whose values each step keeps side by side; some are shown underway. */
#include "corpus.h"

enum { RECEIVERS = 5 };

CORPUS_HELPER void wave(double *restrict p, double *restrict u, double *restrict next, double *restrict seismogram, int n, int m,
                        int steps)
{
    int at = n / 2 * m + m / 2;

    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = 2.0 * u[i * m + j] - p[i * m + j] +
                                  0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                         u[i * m + j + 1] - 4.0 * u[i * m + j]);
        next[at] += (double)(t % 7 - 3) * 0.125;
        for (int r = 0; r < RECEIVERS; r++)
            seismogram[t * RECEIVERS + r] = next[n / 3 * m + m * r / RECEIVERS];
        double *old = p;
        p = u;
        u = next;
        next = old;
        if (t % 6 == 5)
            printf("%d: %a\n", t, seismogram[t * RECEIVERS + 2]);
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
        double *seismogram = corpus_doubles("seismogram", RECEIVERS * steps);
        if (c.nx >= 2 && c.ny >= 2)
            wave(a, b, d, seismogram, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
