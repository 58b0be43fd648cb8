/* A gradient's length in space, over six neighbours. */
#include "bench.h"

void kernel(int n, int m, int l, int steps, REAL a[2][n][m][l])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++) {
                    REAL c = a[t % 2][i][j][k];
                    REAL up = c - a[t % 2][i - 1][j][k], down = c - a[t % 2][i + 1][j][k];
                    REAL north = c - a[t % 2][i][j - 1][k], south = c - a[t % 2][i][j + 1][k];
                    REAL west = c - a[t % 2][i][j][k - 1], east = c - a[t % 2][i][j][k + 1];
                    a[(t + 1) % 2][i][j][k] =
                        c + R(1.0) / root(R(0.0001) + up * up + down * down + north * north +
                                          south * south + west * west + east * east);
                }
}
