/* Neighbours' numbers in variables of the program, set by a function of their own: round the grid along one dimension, clamped
 * along the other. */
#include "corpus.h"

int *up, *down, *left, *right;

static void neighbours(int n, int m)
{
    for (int i = 0; i < n; i++) {
        up[i] = i == 0 ? n - 1 : i - 1;
        down[i] = i == n - 1 ? 0 : i + 1;
    }
    for (int j = 0; j < m; j++) {
        left[j] = j > 0 ? j - 1 : 0;
        right[j] = j < m - 1 ? j + 1 : m - 1;
    }
}

CORPUS_HELPER void heat(double *u, double *v, int n, int m, int steps)
{
    neighbours(n, m);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                v[i * m + j] = u[i * m + j] + 0.2 * (u[up[i] * m + j] + u[down[i] * m + j] + u[i * m + left[j]] +
                                                     u[i * m + right[j]] - 4.0 * u[i * m + j]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                u[i * m + j] = v[i * m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        if (c.nx > 0 && c.ny > 0) {
            up = malloc(c.nx * sizeof *up);
            down = malloc(c.nx * sizeof *down);
            left = malloc(c.ny * sizeof *left);
            right = malloc(c.ny * sizeof *right);
            heat(u, v, c.nx, c.ny, c.steps);
            free(up);
            free(down);
            free(left);
            free(right);
        }
        corpus_end();
    }
    return 0;
}
