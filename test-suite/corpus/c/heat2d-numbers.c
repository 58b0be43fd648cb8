/* Heat on a torus whose neighbours' numbers stand in tables, filled before by remainders and by hand. */
#include "corpus.h"

CORPUS_HELPER void heat(double *u, double *v, int n, int m, int steps)
{
    int *next = malloc(n * sizeof *next), *previous = malloc(n * sizeof *previous);
    int *right = malloc(m * sizeof *right), *left = malloc(m * sizeof *left);
    for (int i = 0; i < n; i++) {
        next[i] = (i + 1) % n;
        previous[i] = (i - 1 + n) % n;
    }
    for (int j = 0; j < m; j++) {
        right[j] = j + 1;
        left[j] = j - 1;
    }
    right[m - 1] = 0;
    left[0] = m - 1;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                v[i * m + j] = u[i * m + j] + 0.2 * (u[next[i] * m + j] + u[previous[i] * m + j] + u[i * m + right[j]] +
                                                     u[i * m + left[j]] - 4.0 * u[i * m + j]);
        double *s = u;
        u = v;
        v = s;
    }
    free(next);
    free(previous);
    free(right);
    free(left);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        if (c.nx > 0 && c.ny > 0)
            heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
