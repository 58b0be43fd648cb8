/* A gradient's length on a plane, over four neighbours. */
#include "bench.h"

void kernel(int n, int m, int steps, REAL a[2][n][m])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                REAL c = a[t % 2][i][j];
                REAL up = c - a[t % 2][i - 1][j], down = c - a[t % 2][i + 1][j];
                REAL left = c - a[t % 2][i][j - 1], right = c - a[t % 2][i][j + 1];
                a[(t + 1) % 2][i][j] =
                    c + R(1.0) / root(R(0.0001) + up * up + down * down + left * left +
                                      right * right);
            }
}
