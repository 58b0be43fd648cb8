// Loops over a whole grid that find row and column by division have a counter for each.
// RUN: %clang -O2 -gline-tables-only -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

#include <stddef.h>

// CHECK: divided.c:[[@LINE+3]]:{{.*}}: time loop tiled {{.*}}: 2-D
void halves(int n, int m, int steps, double *a, double *b)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < n * m; k++) {
            int i = k / m, j = k % m;
            if (i > 0 && i < n - 1 && j > 0 && j < m - 1)
                b[k] = 0.25 * (a[k - 1] + a[k + 1] + a[k - m] + a[k + m]);
        }
        for (int k = 0; k < n * m; k++)
            a[k] = b[k];
    }
}

// A size that is known, an unsigned counter.
// CHECK: divided.c:[[@LINE+3]]:{{.*}}: time loop tiled {{.*}}: 2-D
void fixed(size_t n, int steps, double *a, double *b)
{
    for (int t = 0; t < steps; t++) {
        for (size_t k = 0; k < n * 128; k++) {
            size_t i = k / 128, j = k % 128;
            if (i == 0 || i == n - 1 || j == 0 || j == 127)
                continue;
            b[k] = 0.25 * (a[k - 1] + a[k + 1] + a[k - 128] + a[k + 128]);
        }
        double *swap = a;
        a = b;
        b = swap;
    }
}

// The rows are another array's: places by division only.
// CHECK: divided.c:[[@LINE+3]]:{{.*}}: time loop tiled {{.*}}: 2-D
void rows(int n, int m, int steps, double (*restrict a)[m], double (*restrict b)[m])
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < n * m; k++) {
            int i = k / m, j = k % m;
            b[i][j] = i > 0 && i < n - 1 ? 0.5 * (a[i - 1][j] + a[i + 1][j]) : a[i][j];
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i][j] = b[i][j];
    }
}

// The last row isn't whole: one step at a time.
// CHECK: divided.c:[[@LINE+3]]:{{.*}}: sweeps of one time step tiled {{.*}}the whole loop not: {{.*}} [non-affine]
void ragged(int n, int m, int steps, double (*restrict a)[m], double (*restrict b)[m])
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < n * m - 3; k++) {
            int i = k / m, j = k % m;
            b[i][j] = i > 0 && i < n - 1 ? 0.5 * (a[i - 1][j] + a[i + 1][j]) : a[i][j];
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i][j] = b[i][j];
    }
}

// A size that no shift divides by.
// CHECK: divided.c:[[@LINE+3]]:{{.*}}: time loop tiled {{.*}}: 2-D
void fifty(size_t n, int steps, double *restrict a, double *restrict b)
{
    for (int t = 0; t < steps; t++) {
        for (size_t k = 0; k < n * 50; k++) {
            size_t i = k / 50, j = k % 50;
            if (i > 0 && i < n - 1 && j > 0 && j < 49)
                b[i * 50 + j] = 0.25 * (a[k - 1] + a[k + 1] + a[k - 50] + a[k + 50]);
        }
        for (size_t k = 0; k < n * 50; k++)
            a[k] = b[k];
    }
}

// What is divided is narrower than the counter.
// CHECK: divided.c:[[@LINE+3]]:{{.*}}: time loop tiled {{.*}}: 2-D
void narrow(int n, int m, int steps, double *restrict a, double *restrict b)
{
    for (int t = 0; t < steps; t++) {
        for (size_t k = 0; k < (size_t)n * m; k++) {
            int i = (int)k / m, j = (int)k % m;
            if (i > 0 && i < n - 1 && j > 0 && j < m - 1)
                b[k] = 0.25 * (a[k - 1] + a[k + 1] + a[k - m] + a[k + m]);
        }
        for (size_t k = 0; k < (size_t)n * m; k++)
            a[k] = b[k];
    }
}
