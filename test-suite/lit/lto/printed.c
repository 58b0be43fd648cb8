// A sweep and its time loop in one unit, which prints what it is at: the compile step leaves both as they are, since a call may
// have a body elsewhere, and the link takes the nest.

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain-clang -O2 %s -o plain && ./plain > plain.out
// RUN: env HEXPASS_REPORT=report.jsonl %hexcc -O2 -g -flto -fuse-ld=lld %s -o printed
// RUN: FileCheck %s --check-prefix=REPORT < report.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 ./printed 2> info > out
// RUN: cmp plain.out out && FileCheck %s --check-prefix=RAN < info
//
// REPORT: "function":"main"{{.*}}"status":"transformed"
// RAN: hexpass: main@{{.*}}printed.c:{{[0-9]+}}: cpu{{.*}}, 10 steps,

#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };

static void step(double *q, const double *u)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            q[i * N + j] = 0.25 * (u[i * N + j - 1] + u[i * N + j + 1] + u[i * N + j - N] + u[i * N + j + N]);
}

int main(void)
{
    double *a = calloc(N * N, sizeof *a), *b = calloc(N * N, sizeof *b);
    for (int i = 0; i < N; i++)
        a[i * N] = b[i * N] = i;
    for (int t = 0; t < 50; t++) {
        if (t % 10 == 0)
            printf("%d: %a\n", t, a[N * 5 + 5]);
        step(b, a);
        double *s = a;
        a = b;
        b = s;
    }
    printf("%a\n", a[5 * N + 5]);
    return 0;
}
