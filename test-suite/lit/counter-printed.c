// Output that a step makes leaves the variables of the program alone, but for those whose place it is given: what is in a
// register while the loop runs would not be seen there, and what is written there would be lost.

// RUN: %plain-clang -w -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: env HEXPASS_REPORT=%t.jsonl %hexcc -w -O2 -gline-tables-only %s -o %t.hex && env HEXPASS_DEVICE=cpu %t.hex > %t.out
// RUN: cmp %t.plain.out %t.out
// RUN: FileCheck %s < %t.jsonl
// CHECK-DAG: "function":"told"{{.*}}"message":"time loop tiled{{.*}}"status":"transformed"
// CHECK-NOT: "function":"{{shown|counted}}"{{.*}}"message":"time loop tiled
#include <stdio.h>
#include <string.h>

enum { N = 90, M = 70 };

double grids[3][2][N * M];
int now_told, now_counted, now_shown;

#define STEP(G, NOW)                                                                               \
    for (int i = 1; i < N - 1; i++)                                                                \
        for (int j = 1; j < M - 1; j++)                                                            \
            (G)[!NOW][i * M + j] = 0.25 * ((G)[NOW][(i - 1) * M + j] + (G)[NOW][(i + 1) * M + j] + \
                                           (G)[NOW][i * M + j - 1] + (G)[NOW][i * M + j + 1]);     \
    NOW = !NOW

__attribute__((noinline)) void told(int steps)
{
    for (int t = 0; t < steps; t++) {
        printf("step %d\n", t);
        STEP(grids[0], now_told);
    }
}

/* What has been printed is counted there: one character, so the present grid is number 1 each time. */
__attribute__((noinline)) void counted(int steps)
{
    for (int t = 0; t < steps; t++) {
        printf("-%n\n", &now_counted);
        STEP(grids[1], now_counted);
    }
}

/* Its bytes are written out by somebody who looks at memory. */
__attribute__((noinline)) void shown(int steps)
{
    for (int t = 0; t < steps; t++) {
        fwrite(&now_shown, sizeof now_shown, 1, stdout);
        STEP(grids[2], now_shown);
    }
}

int main(void)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N * M; i++)
            grids[k][0][i] = grids[k][1][i] = (i * 7919 + k) % 1001 * 0.001;
    told(37);
    counted(37);
    shown(37);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N * M; i++)
            printf("%a %a\n", grids[k][0][i], grids[k][1][i]);
    printf("%d %d %d\n", now_told, now_counted, now_shown);
    return 0;
}
