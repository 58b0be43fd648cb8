// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

// A check between sweeps is a way out of the time loop, but not what stands in the way: it is told what does.

#include <stdlib.h>

void relax(double *u, long n, long size, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n; i++)
            // CHECK: checked.c:[[#@LINE-2]]{{.*}}their order matters (Gauss-Seidel
            u[i] = 0.5 * u[i] + 0.5 * u[i - 1];
        if (n / 2 >= size)
            abort();
        u[n / 2] += 0.1;
        for (long i = 1; i < n; i++)
            u[i] = 0.5 * u[i] + 0.5 * u[i - 1];
    }
}
// CHECK-NOT: is left between
