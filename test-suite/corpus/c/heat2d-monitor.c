/* Somebody whom the loop does not know writes to a global array every few steps, and to what he is handed: the heat
   comes from there. The grids themselves are the function's own, and never leave it. The loop ends where the grid says
   so, after a step's sweep. */
#include "corpus.h"

enum { SOURCES = 150 };

static double source[SOURCES];
static double seen;

typedef void monitor(int);

static void stoke(int t)
{
    for (int k = 0; k < SOURCES; k++)
        source[k] = 0.5 * source[k] + 0.001 * (double)((t + k) % 5);
    seen += source[t % SOURCES];
}

CORPUS_HELPER int heat(double *start, int n, int m, monitor *who, int steps)
{
    size_t bytes = (size_t)n * (size_t)m * sizeof(double);
    double *u = malloc(bytes), *v = malloc(bytes);
    int t;

    memcpy(u, start, bytes);
    memcpy(v, start, bytes);
    for (t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]) +
                               source[j];
        double *tmp = u;
        u = v;
        v = tmp;
        if (t % 5 == 2)
            who(t);
        if (t % 7 == 6 && u[n / 2 * m + m / 2] > 1.5)
            break;
    }
    memcpy(start, u, bytes);
    free(u);
    free(v);
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    monitor *volatile who = stoke;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        corpus_own("source", 'd', source, sizeof source);
        seen = 0.0;
        if (points)
            corpus_value("steps", heat(u, c.nx, c.ny, who, c.steps));
        corpus_value("seen", (int64_t)(seen * 1e6));
        corpus_end();
    }
    return 0;
}
