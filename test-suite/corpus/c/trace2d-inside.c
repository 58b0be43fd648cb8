/* What each step keeps lies in the grid itself, from its middle on or from the first place that a step writes: the next steps
   go on from there. */
#include "corpus.h"

void heat(double *u, double *v, double *trace, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        trace[t] = v[n / 2 * m + m / 2];
        double *old = u;
        u = v;
        v = old;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1), steps = c.steps > 0 ? c.steps : 0;
        double *a = corpus_doubles("a", points + steps);
        double *b = corpus_doubles("b", points);
        if (c.nx >= 3 && c.ny >= 3) {
            heat(a, b, a + c.nx / 2 * c.ny + c.ny / 2, c.nx, c.ny, c.steps);
            heat(b, a, a + c.ny + 1, c.nx, c.ny, c.steps);
        }
        corpus_end();
    }
    return 0;
}
