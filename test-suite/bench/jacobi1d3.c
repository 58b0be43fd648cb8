/* Jacobi's iteration on a line, three points; the buffers change places. */
#include "bench.h"

void kernel(int n, int steps, REAL *a, REAL *b)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = R(0.33333) * (a[i - 1] + a[i] + a[i + 1]);
        REAL *old = a;
        a = b;
        b = old;
    }
}
