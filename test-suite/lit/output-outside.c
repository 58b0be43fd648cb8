// What is written to the outside leaves the program's variables alone, so that what was loaded before is the same behind it:
// not so where a stream leads to memory.
// RUN: %plain-clang -w -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: env HEXPASS_REPORT=%t.jsonl %hexcc -w -O2 -gline-tables-only %s -o %t.hex && env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
// RUN: cmp %t.plain.out %t.out
// RUN: FileCheck %s < %t.jsonl
// CHECK-DAG: "function":"told"{{.*}}"message":"time loop taken one step a launch
// CHECK-NOT: "function":"dump"{{.*}}"message":"{{time loop|sweeps}}
// RUN: FileCheck %s --check-prefix=INFO < %t.info
// INFO: told@{{.*}}: cpu{{.*}} 10 steps
// INFO-NOT: told@{{.*}}: cpu{{.*}} 1 steps
// INFO: remembered@
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

enum { N = 60, M = 50 };

double grids[2][2][N * M];

/* Row by row, as other numbers: no steps of time. */
static void dump(const double *u, const int *size, const char *name)
{
    FILE *file = fopen(name, "w");
    if (!file)
        return;
    float *row = malloc(size[1] * sizeof *row);
    for (int i = 0; i < size[0]; i++) {
        for (int j = 0; j < size[1]; j++)
            row[j] = (float)u[i * size[1] + j];
        fwrite(row, sizeof *row, size[1], file);
    }
    free(row);
    fclose(file);
}

/* Whoever has set them may have kept their addresses. */
__attribute__((noinline)) void set(int *size, int *wraps, int *talks, int *every)
{
    size[0] = N;
    size[1] = M;
    *wraps = 1;
    *talks = 0;
    *every = 10;
    __asm__ volatile("" : : "r"(size), "r"(wraps), "r"(talks), "r"(every) : "memory");
}

#define SWEEP(U, V)                                                                              \
    for (int i = 1; i < size[0] - 1; i++)                                                        \
        for (int j = 1; j < size[1] - 1; j++)                                                    \
            (V)[i * size[1] + j] = 0.25 * ((U)[(i - 1) * size[1] + j] + (U)[(i + 1) * size[1] + j] + \
                                           (U)[i * size[1] + j - 1] + (U)[i * size[1] + j + 1]);

__attribute__((noinline)) void told(double (*g)[N * M], int steps)
{
    int size[2], wraps, talks, every, now = 0;
    set(size, &wraps, &talks, &every);
    for (int t = 0; t < steps; t++) {
        if (t % every == 0)
            g[now][size[1] + 7] += 1.0;
        SWEEP(g[now], g[!now])
        if (wraps)
            for (int j = 1; j < size[1] - 1; j++)
                g[!now][j] = g[!now][(size[0] - 2) * size[1] + j];
        if (talks) {
            char name[40];
            sprintf(name, "grid%d", t);
            printf("%d %g\n", t, g[!now][size[1] + 7]);
            dump(g[!now], size, name);
        }
        now = !now;
    }
}

/* The length of what has been written decides what the step does. */
__attribute__((noinline)) void remembered(double (*g)[N * M], int steps)
{
    int size[2], wraps, talks, every, now = 0;
    set(size, &wraps, &talks, &every);
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    for (int t = 0; t < steps; t++) {
        fprintf(file, "%d ", t);
        fflush(file);
        SWEEP(g[now], g[!now])
        if (length % 2)
            for (int j = 1; j < size[1] - 1; j++)
                g[!now][j] = g[!now][(size[0] - 2) * size[1] + j];
        now = !now;
    }
    fclose(file);
    printf("%s\n", text);
}

int main(void)
{
    for (int g = 0; g < 2; g++)
        for (int i = 0; i < N * M; i++)
            grids[g][0][i] = grids[g][1][i] = (i * 37 % 101) * 0.01;
    told(grids[0], 40);
    remembered(grids[1], 40);
    double sum = 0.0;
    for (int g = 0; g < 2; g++)
        for (int i = 0; i < N * M; i++)
            sum = 0.99 * sum + grids[g][0][i] - 0.3 * grids[g][1][i];
    printf("%.17g\n", sum);
    return 0;
}
