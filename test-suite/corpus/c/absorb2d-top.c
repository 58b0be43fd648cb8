/* An absorbing border at the last plane of a grid, which lies inside its rows: plane l-1 follows l-2. */
#include "corpus.h"

void absorb(double *restrict u, double *restrict before, int n, int m, int l, double c, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                double *top = &u[(i * m + j) * l + l - 1];
                *top = before[i * m + j] + c * (u[(i * m + j) * l + l - 2] - *top);
                before[i * m + j] = u[(i * m + j) * l + l - 2];
            }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int l = 3 + c.nx % 4;
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, l));
        double *before = corpus_doubles("before", corpus_points(c.nx, c.ny, 1));
        absorb(u, before, c.nx, c.ny, l, -0.25, c.steps);
        corpus_end();
    }
    return 0;
}
