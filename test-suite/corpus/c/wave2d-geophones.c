/* A wave whose steps are recorded at receivers, wherever these stand, and a source. */
#include "corpus.h"

struct receiver {
    int row, column;
    double weight;
};

void wave(double *u, double *v, const double *c, double *seismogram, const struct receiver *at, int receivers, int n,
          int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 2 * u[i * m + j] - v[i * m + j] +
                               c[i * m + j] * (u[i * m + j - 1] + u[i * m + j + 1] + u[(i - 1) * m + j] +
                                               u[(i + 1) * m + j] - 4 * u[i * m + j]);
        v[n / 2 * m + m / 2] += 0.01 * t;
        double *swap = u;
        u = v;
        v = swap;
        for (int r = 0; r < receivers; r++)
            seismogram[t * receivers + r] = at[r].weight * u[at[r].row * m + at[r].column];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int points = corpus_points(c.nx, c.ny, 1), steps = c.steps > 0 ? c.steps : 0;
        int receivers = points > 0 ? (c.ny + 2) / 3 : 0;
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        double *k = corpus_doubles("c", points);
        double *seismogram = corpus_doubles("seismogram", (size_t)steps * receivers);
        struct receiver *at = calloc(receivers + 1, sizeof *at);
        for (int i = 0; i < points; i++)
            k[i] *= 0.1;
        for (int r = 0; r < receivers; r++) {
            at[r].row = c.nx / 3;
            at[r].column = 3 * r;
            at[r].weight = 1 + 0.25 * r;
        }
        if (points > 0)
            wave(u, v, k, seismogram, at, receivers, c.nx, c.ny, steps);
        free(at);
        corpus_end();
    }
    return 0;
}
