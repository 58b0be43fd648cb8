// Counters that are narrower than what they are compared with: the guard sees that they get there. Where they
// may come round before that, the original loop runs.

// RUN: %plain-clang -w -O2 %s -o %t.plain && %hexcc -w -O2 -gline-tables-only %s -o %t.hex
// RUN: for n in 3 90 256; do %t.plain $n 60 20; done > %t.plain.out
// RUN: for n in 3 90 256; do env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.hex $n 60 20; done > %t.out 2> %t.err
// RUN: cmp %t.plain.out %t.out
// RUN: FileCheck %s < %t.err
// CHECK: relax@{{.*}}: cpu
// CHECK: relax@{{.*}}: cpu
// CHECK: relax@{{.*}}: original loop: an index expression may wrap round (check-wrap)
#include <stdio.h>
#include <stdlib.h>

void relax(double *u, double *v, int n, size_t m, short steps)
{
    for (short t = 0; t < steps; t++) {
        for (unsigned char i = 1; i < n - 1; i++)
            for (short j = 1; j <= m - 2; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        double *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), m = atoi(argv[2]);
    double *u = malloc(sizeof *u * n * m), *v = malloc(sizeof *v * n * m);
    for (int i = 0; i < n * m; i++)
        u[i] = v[i] = i * 7919 % 1001 * 0.001;
    relax(u, v, n, m, atoi(argv[3]));
    for (int i = 0; i < n * m; i++)
        printf("%a %a\n", u[i], v[i]);
    return 0;
}
