/* Rows whose numbers in a table say that nothing is to be done there; of one of them somebody has said otherwise. */
#include "corpus.h"

__attribute__((noinline)) void change(int *number, int to)
{
    *number = to;
}

CORPUS_HELPER void heat(double *u, double *v, int *held, int n, int m, int steps)
{
    for (int i = 0; i < n; i++)
        held[i] = -1;
    change(&held[n / 2], 1);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                if (held[i] >= 0)
                    v[i * m + j] = 3.0;
        double *s = u;
        u = v;
        v = s;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        if (c.nx > 0 && c.ny > 0) {
            int *held = malloc(c.nx * sizeof *held);
            heat(u, v, held, c.nx, c.ny, c.steps);
            free(held);
        }
        corpus_end();
    }
    return 0;
}
