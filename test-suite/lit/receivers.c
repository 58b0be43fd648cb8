// Each step records a field at receivers whose places stand in a table. Where a small box holds them, the steps are tiled: the box
// is kept of each, and the traces are taken from there. Where they stand all over the grid, one step is made at a
// time; where the traces lie in the grid, the loop stays as it was. What only every tenth step records waits for that step.
//
// RUN: %plain-clang -O2 -w %s -o %t.plain && %t.plain line > %t.expected
// RUN: %hexcc -O2 -g %s -o %t.receivers
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.receivers line > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck --check-prefix=LINE %s < %t.info
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=emulated HEXPASS_INFO=1 %t.receivers line > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck --check-prefix=LINE %s < %t.info
//
// LINE: hexpass: spread@{{.*}}, 100 steps,
// LINE-NOT: , 1 steps,
//
// RUN: %t.plain scattered > %t.expected
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.receivers scattered > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck --check-prefix=SCATTERED %s < %t.info
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=emulated %t.receivers scattered > %t.out
// RUN: cmp %t.expected %t.out
//
// SCATTERED-COUNT-100: hexpass: spread@{{.*}}, 1 steps,
//
// RUN: %t.plain inside > %t.expected
// RUN: env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.receivers inside > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck --check-prefix=INSIDE --allow-empty %s < %t.info
// RUN: env HEXPASS_DEVICE=emulated %t.receivers inside > %t.out
// RUN: cmp %t.expected %t.out
// RUN: env HEXPASS_MODE=off %t.receivers line > %t.out
// RUN: %t.plain line | cmp - %t.out
//
// INSIDE-NOT: steps,
//
// RUN: %t.plain seldom > %t.expected
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=emulated HEXPASS_INFO=1 %t.receivers seldom > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck --check-prefix=SELDOM %s < %t.info
//
// SELDOM: hexpass: sampled@{{.*}}, 10 steps,

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 120, M = 140, RECEIVERS = 16, STEPS = 100 };

struct receiver {
    int row, column;
};

__attribute__((noinline)) static void spread(double *u, double *v, double *traces, const struct receiver *at, int receivers,
                                             int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[i * m + j - 1] + u[i * m + j + 1] + u[(i - 1) * m + j] +
                                                     u[(i + 1) * m + j] - 4 * u[i * m + j]);
        double *swap = u;
        u = v;
        v = swap;
        for (int r = 0; r < receivers; r++)
            traces[t * receivers + r] = u[at[r].row * m + at[r].column];
    }
}

__attribute__((noinline)) static void sampled(double *restrict u, double *restrict v, double *restrict traces,
                                              const struct receiver *at, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[i * m + j - 1] + u[i * m + j + 1] + u[(i - 1) * m + j] + u[(i + 1) * m + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j];
        if (t % 10 == 9)
            for (int r = 0; r < RECEIVERS; r++)
                traces[t * RECEIVERS + r] = u[at[r].row * m + at[r].column];
    }
}

int main(int argc, char **argv)
{
    double *grids = calloc(2 * N * M + STEPS * RECEIVERS, sizeof *grids), *u = grids, *v = u + N * M;
    double *traces = strcmp(argv[1], "inside") ? v + N * M : u + 5 * M;
    struct receiver at[RECEIVERS];
    for (int r = 0; r < RECEIVERS; r++) {
        int scattered = !strcmp(argv[1], "scattered");
        at[r].row = scattered ? 31 * r % N : 7;
        at[r].column = scattered ? 57 * r % M : 3 + 8 * r;
    }
    for (int k = 0; k < N * M; k++)
        u[k] = k * 7919 % 1000;
    if (strcmp(argv[1], "seldom"))
        spread(u, v, traces, at, RECEIVERS, N, M, STEPS);
    else
        sampled(u, v, traces, at, N, M, STEPS);
    double sum = 0;
    for (int k = 0; k < 2 * N * M + STEPS * RECEIVERS; k++)
        sum += grids[k] * (k % 13);
    printf("%.17g\n", sum);
    return 0;
}
