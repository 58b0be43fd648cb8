/* Heat on a plane: the star of five points. */
#include "bench.h"

void kernel(int n, int m, int steps, REAL a[2][n][m])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[(t + 1) % 2][i][j] =
                    R(0.1873) * a[t % 2][i - 1][j] + R(0.1876) * a[t % 2][i][j - 1] +
                    R(0.25) * a[t % 2][i][j] + R(0.1877) * a[t % 2][i][j + 1] +
                    R(0.1874) * a[t % 2][i + 1][j];
}
