/* Cold plates whose warmest point is looked at in each step, from zero, which none of them exceeds for long. */
#include "corpus.h"
#include <math.h>

static double warmest(const double *u, int n, int m)
{
    double most = 0.0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            if (u[i * m + j] > most)
                most = u[i * m + j];
    return most;
}

int heat(double *u, double *v, int n, int m, int steps, double limit)
{
    int hot = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        double most = warmest(v, n, m);
        if (most > limit)
            break;
        if (1.0 / most > 0.0)
            hot++;
        double *w = u;
        u = v;
        v = w;
    }
    return hot;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        for (size_t at = 0; at < points; at++) {
            u[at] = c.nx % 3 ? -fabs(u[at]) : 0.0 * u[at];
            v[at] = u[at];
        }
        corpus_value("hot", points ? heat(u, v, c.nx, c.ny, c.steps, 1e30) : 0);
        corpus_end();
    }
    return 0;
}
