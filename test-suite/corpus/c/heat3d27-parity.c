/* Heat in a box, all 27 neighbours, two time levels by t%2. */
#include "corpus.h"

#define MAXN 36

static double A[2][MAXN][MAXN][MAXN];

void heat27(int n, int m, int l, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++)
                    A[(t + 1) % 2][i][j][k] =
                        0.5 * A[t % 2][i][j][k] +
                        0.04 * (A[t % 2][i - 1][j][k] + A[t % 2][i + 1][j][k] +
                                A[t % 2][i][j - 1][k] + A[t % 2][i][j + 1][k] +
                                A[t % 2][i][j][k - 1] + A[t % 2][i][j][k + 1]) +
                        0.015 * (A[t % 2][i - 1][j - 1][k] + A[t % 2][i - 1][j + 1][k] +
                                 A[t % 2][i + 1][j - 1][k] + A[t % 2][i + 1][j + 1][k] +
                                 A[t % 2][i - 1][j][k - 1] + A[t % 2][i - 1][j][k + 1] +
                                 A[t % 2][i + 1][j][k - 1] + A[t % 2][i + 1][j][k + 1] +
                                 A[t % 2][i][j - 1][k - 1] + A[t % 2][i][j - 1][k + 1] +
                                 A[t % 2][i][j + 1][k - 1] + A[t % 2][i][j + 1][k + 1]) +
                        0.01 * (A[t % 2][i - 1][j - 1][k - 1] + A[t % 2][i - 1][j - 1][k + 1] +
                                A[t % 2][i - 1][j + 1][k - 1] + A[t % 2][i - 1][j + 1][k + 1] +
                                A[t % 2][i + 1][j - 1][k - 1] + A[t % 2][i + 1][j - 1][k + 1] +
                                A[t % 2][i + 1][j + 1][k - 1] + A[t % 2][i + 1][j + 1][k + 1]);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("A", 'd', A, sizeof A);
        heat27(c.nx, c.ny, c.nz, c.steps);
        corpus_end();
    }
    return 0;
}
