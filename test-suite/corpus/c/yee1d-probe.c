/* Fields on a line, a source that is set in each step, and a probe that writes down what it sees of both fields. */
#include "corpus.h"

void yee(double *e, double *h, double *seen, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n - 1; i++)
            h[i] += 0.4 * (e[i + 1] - e[i]);
        for (int i = 1; i < n - 1; i++)
            e[i] += 0.5 * (h[i] - h[i - 1]);
        e[1] = 0.01 * (double)(t % 13);
        seen[t] = e[n / 2] * e[n / 2] + h[n / 2] * h[n / 2];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *e = corpus_doubles("e", corpus_points(c.nx, 1, 1));
        double *h = corpus_doubles("h", corpus_points(c.nx, 1, 1));
        double *seen = corpus_doubles("seen", c.steps > 0 ? c.steps : 0);
        if (c.nx >= 2)
            yee(e, h, seen, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
