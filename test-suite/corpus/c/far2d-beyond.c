/* A star that reaches further than rows of one array are looked for: its arms may be arrays of their own, or not. */
#include "corpus.h"

enum { R = 40 };

static void far(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = R; i < n - R; i++)
            for (int j = R; j < m - R; j++)
                v[i * m + j] = 0.5 * u[i * m + j] + 0.125 * (u[(i - R) * m + j] + u[(i + R) * m + j] +
                                                             u[i * m + j - R] + u[i * m + j + R]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        far(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
