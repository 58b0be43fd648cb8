/* A box smoothed by its Laplacian, variable-length arrays, copied back after each sweep. */
#include "corpus.h"

void laplacian3d(int nx, int ny, int nz, double a[nx][ny][nz], double b[nx][ny][nz], int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                for (int k = 1; k < nz - 1; k++)
                    b[i][j][k] = 0.1 * (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] +
                                         a[i][j + 1][k] + a[i][j][k - 1] + a[i][j][k + 1]) +
                                 0.4 * a[i][j][k];
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                for (int k = 1; k < nz - 1; k++)
                    a[i][j][k] = b[i][j][k];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, c.nz));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, c.nz));
        laplacian3d(c.nx, c.ny, c.nz, (double(*)[c.ny][c.nz])a, (double(*)[c.ny][c.nz])b, c.steps);
        corpus_end();
    }
    return 0;
}
