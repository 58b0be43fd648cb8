// Rows in one loop over all cells, whose ends a remainder by 256 finds: LLVM keeps that in a byte.
//
// RUN: %plain-clang -O2 -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %hexcc -O2 -g %s -o %t.remainders -Rpass=hexpass 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu %t.remainders > %t.out && cmp %t.expected %t.out
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=emulated %t.remainders > %t.out && cmp %t.expected %t.out

#include <stdio.h>

enum { N = 256, M = 40 };
static int first[N * M], second[N * M];

int main(void)
{
    int *now = first, *next = second;
    for (int k = 0; k < N * M; k++)
        now[k] = k * 7 % 5;
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (int t = 0; t < 20; t++) {
        for (int k = N; k < N * M - N; k++)
            next[k] = (k % N == 0       ? now[k + 1]
                       : k % N == N - 1 ? now[k - 1]
                                        : now[k - N] + now[k + N] + now[k - 1] + now[k + 1]) & 3;
        int *swap = now;
        now = next;
        next = swap;
    }
    long sum = 0;
    for (int k = 0; k < N * M; k++)
        sum = sum * 31 + now[k];
    printf("%ld\n", sum);
    return 0;
}
