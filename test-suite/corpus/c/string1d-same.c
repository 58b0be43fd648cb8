/* Two steps of a history are one row: what is written to it as the later one is read as the earlier one. */
#include "corpus.h"

static double **rows(int steps, int n)
{
    int kept = steps > 0 ? steps + 1 : 1;
    double *all = corpus_doubles("u", corpus_points(n, kept, 1));
    double **u = malloc((size_t)kept * sizeof *u);
    for (int t = 0; t < kept; t++)
        u[t] = all + (size_t)(t == 4 ? 3 : t) * (size_t)(n > 0 ? n : 0);
    return u;
}

void wave(double **u, int n, int steps, double c2)
{
    for (int i = 1; i < n - 1 && steps > 0; i++)
        u[1][i] = u[0][i] + 0.5 * c2 * (u[0][i - 1] - 2.0 * u[0][i] + u[0][i + 1]);
    for (int t = 1; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            u[t + 1][i] = 2.0 * u[t][i] - u[t - 1][i] + c2 * (u[t][i - 1] - 2.0 * u[t][i] + u[t][i + 1]);
        u[t + 1][0] = u[t][1];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double **u = rows(c.steps, c.nx);
        wave(u, c.nx, c.steps, 0.25);
        corpus_end();
        free(u);
    }
    return 0;
}
