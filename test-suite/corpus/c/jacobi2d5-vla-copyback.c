/* Five points on variable-length arrays, copied back after each sweep. */
#include "corpus.h"

void jacobi_2d(int n, int m, double a[n][m], double b[n][m], int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i][j] = b[i][j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        jacobi_2d(c.nx, c.ny, (double(*)[c.ny])a, (double(*)[c.ny])b, c.steps);
        corpus_end();
    }
    return 0;
}
