/* Every step is kept: the whole history of a plate, whose edges are copied from their neighbours. */
#include "corpus.h"

void heat(double *u, int n, int m, int steps)
{
    size_t plane = (size_t)n * m;
    for (int t = 0; t < steps; t++) {
        const double *now = u + t * plane;
        double *next = u + (t + 1) * plane;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = 0.2 * (now[i * m + j] + now[(i - 1) * m + j] + now[(i + 1) * m + j] +
                                         now[i * m + j - 1] + now[i * m + j + 1]);
        for (int j = 1; j < m - 1; j++)
            next[j] = next[m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, c.steps > 0 ? c.steps + 1 : 1));
        heat(u, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
