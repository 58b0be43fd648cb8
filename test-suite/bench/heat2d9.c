/* Heat on a plane: the box of nine points. */
#include "bench.h"

void kernel(int n, int m, int steps, REAL a[2][n][m])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[(t + 1) % 2][i][j] =
                    R(0.09371) * a[t % 2][i - 1][j - 1] + R(0.09372) * a[t % 2][i - 1][j] +
                    R(0.09373) * a[t % 2][i - 1][j + 1] + R(0.09374) * a[t % 2][i][j - 1] +
                    R(0.25001) * a[t % 2][i][j] + R(0.09375) * a[t % 2][i][j + 1] +
                    R(0.09376) * a[t % 2][i + 1][j - 1] + R(0.09377) * a[t % 2][i + 1][j] +
                    R(0.09378) * a[t % 2][i + 1][j + 1];
}
