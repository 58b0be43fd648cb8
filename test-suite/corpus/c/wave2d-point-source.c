/* The wave equation with a source at one point, of which the caller says the place in the flat array. */
#include "corpus.h"

double *wave(double *past, double *now, int n, int m, int steps, int source, double strength)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                past[i * m + j] = 2.0 * now[i * m + j] - past[i * m + j] +
                                  0.2 * (now[(i - 1) * m + j] + now[(i + 1) * m + j] + now[i * m + j - 1] +
                                         now[i * m + j + 1] - 4.0 * now[i * m + j]);
        past[source] += strength * t;
        double *next = past;
        past = now;
        now = next;
    }
    return now;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        double *last = wave(u, v, c.nx, c.ny, points ? c.steps : 0, (int)(points / 3), 0.01);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
