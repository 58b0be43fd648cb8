// Loops that run through a whole grid, or through some of its rows, as if they were one row: they are taken for what they
// are.
// RUN: %clang -O2 -gline-tables-only -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

#include <stddef.h>

#define SWEEP \
    for (int i = 1; i < n - 1; i++) \
        for (int j = 1; j < m - 1; j++) \
            u[i * m + j] = 0.25 * (old[(i - 1) * m + j] + old[(i + 1) * m + j] + old[i * m + j - 1] + \
                                   old[i * m + j + 1]);

// CHECK: flat.c:[[@LINE+3]]:{{.*}}: time loop tiled
void whole(int n, int m, int steps, double *u, double *old)
{
    for (int t = 0; t < steps; t++) {
        for (size_t k = 0; k < (size_t)n * m; k++)
            old[k] = u[k];
        SWEEP
    }
}

// CHECK: flat.c:[[@LINE+3]]:{{.*}}: time loop tiled
void inner(int n, int m, int steps, double *u, double *old)
{
    for (int t = 0; t < steps; t++) {
        for (int k = m; k < (n - 1) * m; k++)
            old[k] = 0.5 * u[k];
        SWEEP
    }
}

// CHECK: flat.c:[[@LINE+3]]:{{.*}}: time loop tiled
void opaque(int n, int m, int points, int steps, double *u, double *old)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < points; k++)
            old[k] = u[k];
        SWEEP
    }
}

// The first row alone.
// CHECK: flat.c:[[@LINE+3]]:{{.*}}: time loop tiled
void row(int n, int m, int steps, double *u, double *old)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < m; k++)
            old[k] = u[k];
        SWEEP
    }
}

// Each point takes what its neighbour was, at the ends of rows that of another row.
// CHECK: flat.c:[[@LINE+3]]:{{.*}}: sweeps of one time step tiled {{.*}}several rows{{.*}}[write-shape]
void shifted(int n, int m, int steps, double *u, double *old)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < n * m - 1; k++)
            old[k] = u[k + 1];
        SWEEP
    }
}
