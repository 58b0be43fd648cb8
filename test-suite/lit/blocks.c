// Sweeps that are cut into blocks are whole sweeps, where it is no matter in which order their points come.
// RUN: %plain-clang -w -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: env HEXPASS_REPORT=%t.jsonl %hexcc -w -O2 -gline-tables-only %s -o %t.hex && env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
// RUN: cmp %t.plain.out %t.out
// RUN: FileCheck %s < %t.jsonl
// RUN: FileCheck %s --check-prefix=INFO < %t.info
#include <stdio.h>

enum { N = 67, M = 53, B = 8 };

double u[2 * N * M], v[N * M];

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// CHECK-DAG: "function":"between"{{.*}}"message":"time loop tiled
// INFO-DAG: between@{{.*}}: cpu
// INFO-DAG: between@{{.*}}: original loop
__attribute__((noinline)) void between(double *a, double *b, int n, int m, int block, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int ii = 1; ii < n - 1; ii += block)
            for (int jj = 1; jj < m - 1; jj += block)
                for (int i = ii; i < smaller(ii + block, n - 1); i++)
                    for (int j = jj; j < smaller(jj + block, m - 1); j++)
                        b[i * m + j] = 0.3 * (a[(i - 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i * m + j] = b[i * m + j];
    }
}

// Points of one block are done before those of the next: what lies to the right in the row above is new, or old.
// CHECK-DAG: "function":"in_place"{{.*}}"reason":"dependence"
__attribute__((noinline)) void in_place(double *a, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int jj = 1; jj < m - 1; jj += B)
            for (int i = 1; i < n - 1; i++)
                for (int j = jj; j < smaller(jj + B, m - 1); j++)
                    a[i * m + j] = 0.5 * (a[(i + 1) * m + j] + a[(i + 1) * m + j - 1]);
}

// Within a block the copy follows at once.
// CHECK-DAG: "function":"back_at_once"{{.*}}"reason":"dependence"
__attribute__((noinline)) void back_at_once(double *restrict a, double *restrict b, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int ii = 1; ii < n - 1; ii += B)
            for (int i = ii; i < smaller(ii + B, n - 1); i++)
                for (int j = 1; j < m - 1; j++) {
                    b[i * m + j] = 0.5 * (a[(i - 1) * m + j] + a[(i + 1) * m + j]);
                    a[i * m + j] = b[i * m + j];
                }
}

// CHECK-DAG: "function":"by_block"{{.*}}"reason":"trip-count"
__attribute__((noinline)) void by_block(double *restrict a, double *restrict b, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int ii = 1; ii < n - 1; ii += B)
            for (int i = ii; i < smaller(ii + B, n - 1); i++)
                b[i] = 0.5 * (a[i - 1] + a[i + 1]) + 1e-3 * ii;
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
}

// Blocks that overlap, and points that no block has.
// CHECK-DAG: "function":"more_or_less"{{.*}}"reason":"trip-count"
__attribute__((noinline)) void more_or_less(double *restrict a, double *restrict b, int n, int left, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int ii = 1; ii < n - left; ii += B)
            for (int i = ii; i < smaller(ii + B - 1, n - 1); i++)
                b[i] += 0.5 * (a[i - 1] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
}

static void show(const double *a, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum = 0.99 * sum + a[i];
    printf("%.17g\n", sum);
}

static void fill(void)
{
    for (int i = 0; i < 2 * N * M; i++)
        u[i] = (i * 37 % 101) * 0.01;
    for (int i = 0; i < N * M; i++)
        v[i] = 0.5;
}

int main(void)
{
    for (int block = 1; block < 80; block += 13) {
        fill();
        between(u, v, N, M, block, 5);
        show(u, N * M);
        // They overlap, by a row: what is read has been written, or not yet.
        between(u, u + 2 * M, N, M, block, 5);
        show(u, 2 * N * M);
    }
    fill();
    in_place(u, N, M, 5);
    show(u, N * M);
    back_at_once(u, v, N, M, 5);
    show(u, N * M);
    by_block(u, v, N * M, 5);
    show(u, N * M);
    more_or_less(u, v, N * M, 20, 5);
    show(u, N * M);
    return 0;
}
