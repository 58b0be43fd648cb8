/* The wave equation with a source and two lines of receivers: a row that each step keeps whole, and a column of which every
 * receiver keeps all its steps side by side. */
#include "corpus.h"

void wave(double *restrict p, double *restrict u, double *restrict next, float *restrict row, double *restrict column, int n,
          int m, int steps)
{
    int at = n / 2 * m + m / 2;

    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = 2.0 * u[i * m + j] - p[i * m + j] +
                                  0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                         u[i * m + j + 1] - 4.0 * u[i * m + j]);
        next[at] += (double)(t % 7 - 3) * 0.125;
        for (int j = 0; j < m; j++)
            row[t * m + j] = (float)next[m + j];
        for (int i = 1; i < n - 1; i++)
            column[i * steps + t] = 0.5 * (next[i * m + m / 3] + next[i * m + m / 3 + 1]);
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
        float *row = corpus_floats("row", steps * corpus_points(c.ny, 1, 1));
        double *column = corpus_doubles("column", steps * corpus_points(c.nx, 1, 1));
        if (c.nx >= 2 && c.ny >= 2)
            wave(a, b, d, row, column, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
