/* Electric and magnetic field on a plane in finite differences: PolyBench's
   fdtd-2d, the three sweeps. */
#include "bench.h"

void kernel(int n, int m, int steps, REAL ex[restrict n][m], REAL ey[restrict n][m],
            REAL hz[restrict n][m])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++)
            for (int j = 0; j < m; j++)
                ey[i][j] = ey[i][j] - R(0.5) * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m; j++)
                ex[i][j] = ex[i][j] - R(0.5) * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m - 1; j++)
                hz[i][j] = hz[i][j] -
                           R(0.7) * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}
