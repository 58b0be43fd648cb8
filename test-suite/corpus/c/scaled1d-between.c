/* In some steps the second sweep needs a value that was read between the two, of what the first one has written. */
#include "corpus.h"

void relax(double *u, double *v, const int *when, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double scale = 0.5;
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        if (when[t % 8] & 1)
            scale = v[n / 2] < 0.1 ? 0.49 : 0.51;
        for (int i = 1; i < n - 1; i++)
            u[i] = scale * (v[i - 1] + v[i + 1]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, 1, 1));
        int *when = corpus_ints("when", 8);
        if (c.nx > 0)
            relax(u, v, when, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
