// Behind the time loop the program ends: all ways out of the loop come back to nobody, and one of them is its end.

// RUN: %plain-clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %hexcc -O2 -g %s -o %t.ended
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.ended 2> %t.info > %t.out
// RUN: cmp %t.expected %t.out && FileCheck %s < %t.info
//
// CHECK: hexpass: main@{{.*}}ended.c:{{[0-9]+}}: cpu{{.*}}, 40 steps,

#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };

static double u[N][N], v[N][N], record[40][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            u[i][j] = v[i][j] = i * j % 7;
    for (int t = 0; t < 40; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                v[i][j] = 0.25 * (u[i][j - 1] + u[i][j + 1] + u[i - 1][j] + u[i + 1][j]);
        for (int j = 0; j < N; j++)
            record[t][j] = v[5][j];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[i][j] = v[i][j];
    }
    double sum = 0;
    for (int t = 0; t < 40; t++)
        for (int j = 0; j < N; j++)
            sum += record[t][j] * (t + j);
    printf("%a %a\n", sum, u[4][4]);
    exit(0);
}
