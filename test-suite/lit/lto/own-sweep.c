// One sweep of a step is in the time loop's unit, the other one in another: the compile step does not take the first by
// itself, and the link takes both as one nest.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %plain-clang -O2 main.c back.c -o plain && ./plain > plain.out
// RUN: %hexcc -O2 -gline-tables-only -flto=full -c main.c && %hexcc -O2 -gline-tables-only -flto=full -c back.c
// RUN: env HEXPASS_REPORT=full.jsonl %hexcc -O2 -flto=full main.o back.o -o full
// RUN: FileCheck %s --check-prefix=REPORT --implicit-check-not=transformed < full.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 ./full 2> full.err > full.out
// RUN: cmp plain.out full.out && FileCheck %s --check-prefix=RAN < full.err
//
// REPORT: time loop tiled{{.*}} 2 statements{{.*}}"status":"transformed"
// RAN: hexpass: main@main.c:{{[0-9]+}}: cpu{{.*}} 30 steps

//--- main.c
#include <stdio.h>
#include <stdlib.h>

void back(const double *v, double *u, int n);

static void sweep(const double *u, double *v, int n)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            v[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
}

int main(void)
{
    int n = 120;
    double *u = malloc(sizeof *u * n * n), *v = malloc(sizeof *v * n * n), sum = 0.0;
    for (int i = 0; i < n * n; i++)
        u[i] = v[i] = i * 7919 % 1001 * 0.001;
    for (int t = 0; t < 30; t++) {
        sweep(u, v, n);
        back(v, u, n);
    }
    for (int i = 0; i < n * n; i++)
        sum += u[i] * (1.0 + 1e-3 * i);
    printf("%.17g\n", sum);
    return 0;
}

//--- back.c
void back(const double *v, double *u, int n)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            u[i * n + j] = v[i * n + j];
}
