/* Heat in space: the star of seven points. */
#include "bench.h"

void kernel(int n, int m, int l, int steps, REAL a[2][n][m][l])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++)
                    a[(t + 1) % 2][i][j][k] =
                        R(0.25) * a[t % 2][i][j][k] + R(0.1248) * a[t % 2][i + 1][j][k] +
                        R(0.1249) * a[t % 2][i - 1][j][k] + R(0.1250) * a[t % 2][i][j + 1][k] +
                        R(0.1251) * a[t % 2][i][j - 1][k] + R(0.1252) * a[t % 2][i][j][k + 1] +
                        R(0.1253) * a[t % 2][i][j][k - 1];
}
