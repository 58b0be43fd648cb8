// Stores whose places wrap round: each joins the pieces of the sweep that do the same. What the order of points decides is
// decided by the order of the pieces, or stays as it was.
// RUN: %plain-clang -w -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: env HEXPASS_REPORT=%t.jsonl %hexcc -w -O2 -gline-tables-only %s -o %t.hex && env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
// RUN: cmp %t.plain.out %t.out
// RUN: FileCheck %s < %t.jsonl
// RUN: FileCheck %s --check-prefix=INFO < %t.info
#include <stdio.h>

enum { N = 24, M = 20, MOST = 30 };

double u[3 * MOST * MOST], v[3 * MOST * MOST], w[N][M], x[N][M];

// Three fields, each pushed another way: one statement for the one that stays, two for each that wraps round, and one for the
// way back.
// CHECK-DAG: "function":"pushed"{{.*}}"message":"time loop taken one step a launch {{.*}} 2-D, 6 statements
// INFO-DAG: pushed@{{.*}}: cpu
__attribute__((noinline)) void pushed(double *a, double *b, unsigned n, unsigned m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < m; j++) {
                b[(i * m + j) * 3] = a[(i * m + j) * 3];
                b[((i + 1) % n * m + j) * 3 + 1] = a[(i * m + j) * 3 + 1];
                b[(i * m + (j + 1) % m) * 3 + 2] = a[(i * m + j) * 3 + 2];
            }
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < m; j++)
                for (int k = 0; k < 3; k++)
                    a[(i * m + j) * 3 + k] = 0.9 * b[(i * m + j) * 3 + k] + 0.05 * b[(i * m + j) * 3 + (k + 1) % 3];
    }
}

// The last column of a row is no place before the next one.
// CHECK-DAG: "function":"constant"{{.*}}"message":"time loop tiled
// INFO-DAG: constant@{{.*}}: cpu
__attribute__((noinline)) void constant(int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                x[(i + 1) % N][(j + M - 1) % M] = 0.5 * w[i][j];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                w[i][j] = x[i][j] + 0.25 * w[i][j];
    }
}

// Two stores to one element: the later point's stays, which is that of the second store, but not where the first has come
// round.
// CHECK-DAG: "function":"twice"{{.*}}"message":"time loop taken one step a launch
// INFO-DAG: twice@{{.*}}: cpu
__attribute__((noinline)) void twice(double *a, double *b, unsigned n, unsigned m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < m; j++) {
                b[(i + 1) % n * m + j] = a[i * m + j];
                b[i * m + (j + 1) % m] = 0.5 * a[i * m + j];
            }
        for (unsigned i = 0; i < n * m; i++)
            a[i] = b[i];
    }
}

// A point reads what others of its sweep have pushed, or have not yet.
// CHECK-DAG: "function":"in_place"{{.*}}"status":"rejected"
__attribute__((noinline)) void in_place(double *a, unsigned n, unsigned m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < m; j++) {
                double f = a[(i * m + j) * 2], g = a[(i * m + j) * 2 + 1];
                a[((i + 1) % n * m + j) * 2] = 0.5 * f + g;
                a[(i * m + (j + 1) % m) * 2 + 1] = 0.5 * g;
            }
}

// What is stored on one side of a row, read, and stored on its other side: the last comes after the copy.
// CHECK-DAG: "function":"sides"
__attribute__((noinline)) void sides(double *restrict a, double *restrict b, double *restrict c, int n, int m, int s, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                double old = c[i * m + j];
                if (i <= s) {
                    a[(i * m + j) * 2] = old;
                    a[(i * m + (j + 1) % m) * 2 + 1] = old;
                }
                b[i * m + j] = a[(i * m + j) * 2] + 0.5 * a[(i * m + (j + 1) % m) * 2 + 1];
                if (i >= s + 1) {
                    a[(i * m + j) * 2] = old;
                    a[(i * m + (j + 1) % m) * 2 + 1] = old;
                }
            }
        for (int i = 0; i < n * m; i++)
            c[i] = 0.5 * b[i] + 0.25 * c[i];
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
    for (int i = 0; i < 3 * MOST * MOST; i++) {
        u[i] = (i * 37 % 101) * 0.01;
        v[i] = 0.5;
    }
}

int main(void)
{
    for (unsigned n = 1; n < 8; n++)
        for (unsigned m = 1; m < 8; m++) {
            fill();
            pushed(u, v, n, m, 7);
            show(u, 3 * n * m);
            show(v, 3 * n * m);
            fill();
            twice(u, v, n, m, 7);
            show(u, n * m);
            show(v, n * m);
        }
    fill();
    pushed(u, v, MOST, MOST - 1, 20);
    show(u, 3 * MOST * MOST);
    // They overlap.
    pushed(u, u + 30, 9, 8, 4);
    show(u, 3 * MOST * MOST);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            w[i][j] = (i * 31 + j * 17) % 23;
    constant(30);
    show(w[0], N * M);
    show(x[0], N * M);
    fill();
    twice(u, v, 11, 12, 5);
    show(u, 11 * 12);
    in_place(u, 11, 12, 5);
    show(u, 11 * 12);
    for (int s = -1; s < 13; s += 3) {
        fill();
        sides(u, v, u + 2 * MOST * MOST, 11, 12, s, 5);
        show(u, 3 * MOST * MOST);
        show(v, MOST * MOST);
    }
    return 0;
}
