// A sweep and an exchange in another unit: the compile step leaves the bodies as they are, the link takes the nest,
// once, and the program computes what it did. Full and thin.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %plain-clang -O2 main.c sweep.c -o plain && ./plain > plain.out
//
// RUN: %hexcc -O2 -gline-tables-only -flto=full -c main.c && %hexcc -O2 -gline-tables-only -flto=full -c sweep.c
// RUN: env HEXPASS_REPORT=full.jsonl %hexcc -O2 -flto=full main.o sweep.o -o full
// RUN: FileCheck %s --check-prefix=REPORT --implicit-check-not=transformed < full.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 ./full 2> full.err > full.out
// RUN: cmp plain.out full.out && FileCheck %s --check-prefix=RAN < full.err
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=emulated ./full > full.out && cmp plain.out full.out
//
// RUN: %hexcc -O2 -gline-tables-only -flto=thin -c main.c && %hexcc -O2 -gline-tables-only -flto=thin -c sweep.c
// RUN: env HEXPASS_REPORT=thin.jsonl %hexcc -O2 -flto=thin main.o sweep.o -o thin
// RUN: FileCheck %s --check-prefix=REPORT --implicit-check-not=transformed < thin.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 ./thin 2> thin.err > thin.out
// RUN: cmp plain.out thin.out && FileCheck %s --check-prefix=RAN < thin.err
//
// A link without the plugin is a link like any other.
// RUN: env HEXPASS=off %hexcc -O2 -flto=thin -fuse-ld=lld main.o sweep.o -o off && ./off > off.out && cmp plain.out off.out
//
// REPORT: "file":"main.c"{{.*}}"status":"transformed"
// RAN: hexpass: main@main.c:{{[0-9]+}}: cpu

//--- main.c
#include <stdio.h>
#include <stdlib.h>

void sweep(const double *u, double *v, int n);
void exchange(double **a, double **b);

int main(void)
{
    int n = 120;
    double *u = malloc(sizeof *u * n * n), *v = malloc(sizeof *v * n * n);
    for (int i = 0; i < n * n; i++)
        u[i] = v[i] = i * 7919 % 1001 * 0.001;
    for (int t = 0; t < 30; t++) {
        sweep(u, v, n);
        exchange(&u, &v);
    }
    for (int i = 0; i < n * n; i++)
        printf("%a %a\n", u[i], v[i]);
    return 0;
}
//--- sweep.c
void exchange(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

void sweep(const double *u, double *v, int n)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            v[i * n + j] = 0.2 * (u[i * n + j] + u[i * n + j - 1] + u[i * n + j + 1] + u[(i - 1) * n + j] +
                                  u[(i + 1) * n + j]);
}
