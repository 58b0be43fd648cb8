// The stages of a step in a loop of their own are written out, and it is the loop over the steps that is tiled.
//
// RUN: %plain-clang -O2 -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %hexcc -O2 -g %s -o %t.stages
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.stages > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck %s < %t.info
//
// CHECK: hexpass: main@{{.*}}: cpu{{.*}}, 40 steps,
// CHECK-NOT: hexpass:

#include <stdio.h>

enum { N = 120 };
static double u[N][N], guess[N][N], slope[N][N];

int main(void)
{
    static const double part[3] = {1 / 3.0, 0.5, 1};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            u[i][j] = guess[i][j] = i * j % 17;
    for (int t = 0; t < 40; t++) {
        for (int s = 0; s < 3; s++) {
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++)
                    slope[i][j] = guess[i - 1][j] + guess[i + 1][j] + guess[i][j - 1] + guess[i][j + 1] - 4 * guess[i][j];
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++)
                    guess[i][j] = u[i][j] + 0.1 * part[s] * slope[i][j];
        }
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[i][j] = guess[i][j];
    }
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += u[i][j] * (i + 2 * j);
    printf("%.17g\n", sum);
    return 0;
}
