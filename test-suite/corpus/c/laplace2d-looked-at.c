/* The largest change is looked at before the new values are copied back. */
#include "corpus.h"

#include <math.h>

int solve(int n, int m, double u[n][m], double v[n][m], int steps, double tolerance, double *last)
{
    int t;
    for (t = 0; t < steps; t++) {
        double change = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
                change = fmax(change, fabs(v[i][j] - u[i][j]));
            }
        *last = change;
        if (change < tolerance)
            break;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i][j] = v[i][j];
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        void *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *last = corpus_doubles("last", 1);
        int *t = corpus_ints("t", 1);
        t[0] = solve(c.nx, c.ny, u, v, c.steps, 0.05, last);
        corpus_end();
    }
    return 0;
}
