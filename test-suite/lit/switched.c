// A source that is switched off after a while between two sweeps, at a place that only the run knows in rows behind pointers, beside
// output every so often: all steps until the next output go in one run.
//
// RUN: %plain-clang -O2 -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %hexcc -O2 -g %s -o %t.switched
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.switched > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck %s < %t.info
//
// CHECK: hexpass: main@{{.*}}: cpu{{.*}}, 50 steps,

#include <stdio.h>
#include <stdlib.h>

static double **rows(int n)
{
    double **a = malloc(n * sizeof *a);
    a[0] = calloc((size_t)n * n, sizeof **a);
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + n;
    return a;
}

int main(int argc, char **argv)
{
    int n = 80 + argc, source = n / 3;
    double **v = rows(n), **s = rows(n);
    for (int t = 0; t < 100; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                s[i][j] += 0.2 * (v[i + 1][j] + v[i][j + 1] - 2 * v[i][j]);
        if (t < 30)
            v[source][source] += 0.01 * t;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                v[i][j] += 0.2 * (2 * s[i][j] - s[i - 1][j] - s[i][j - 1]);
        if (t % 50 == 49)
            printf("%d %.17g\n", t, v[n / 2][n / 2]);
    }
    return 0;
}
