/* Heat equation on a torus whose ends are filled one from the other: the same rows, if there were none between them. */
#include "corpus.h"

__attribute__((noinline)) void heat(double *planes[2], int n, int m, int steps)
{
    int rows = n - 2, columns = m - 2, now = 0;
    for (int t = 0; t < steps; t++) {
        double *u = planes[now], *v = planes[!now];
        for (int i = 1; i <= rows; i++)
            for (int j = 1; j <= columns; j++)
                v[i * m + j] = 0.6 * u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] +
                                                           u[i * m + j - 1] + u[i * m + j + 1]);
        for (int j = 1; j <= columns; j++) {
            v[j] = v[rows * m + j];
            v[(rows + 1) * m + j] = v[j];
        }
        for (int i = 1; i <= rows; i++) {
            v[i * m] = v[i * m + columns];
            v[i * m + columns + 1] = v[i * m + 1];
        }
        now = !now;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *planes[2] = {corpus_doubles("u", points), corpus_doubles("v", points)};
        heat(planes, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
