/* Each step adds up what it leaves where that is kept, an element of an array for each step. */
#include "corpus.h"

void heat(int n, int m, int steps, double *restrict u, double *restrict v, double *restrict energy)
{
    for (int t = 0; t < steps; t++) {
        energy[t] = 0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double x = u[i * m + j];
                v[i * m + j] = x + 0.2 * (u[i * m + j - 1] + u[i * m + j + 1] + u[(i - 1) * m + j] +
                                          u[(i + 1) * m + j] - 4 * x);
                energy[t] += v[i * m + j] * v[i * m + j];
            }
        double *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        heat(c.nx, c.ny, c.steps, u, v, corpus_doubles("energy", c.steps > 0 ? c.steps : 1));
        corpus_end();
    }
    return 0;
}
