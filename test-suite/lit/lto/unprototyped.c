// A unit of C may declare what other units define without saying what it takes: the link knows, and its calls are seen
// through as others are. A call that passes something else than the function takes stays what it is.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %plain-clang -w -O2 main.c sweep.c -o plain && ./plain > plain.out
//
// RUN: %hexcc -w -O2 -gline-tables-only -flto=full -c main.c && %hexcc -w -O2 -gline-tables-only -flto=full -c sweep.c
// RUN: env HEXPASS_REPORT=full.jsonl %hexcc -O2 -flto=full main.o sweep.o -o full
// RUN: FileCheck %s --check-prefix=REPORT < full.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 ./full 2> full.err > full.out
// RUN: cmp plain.out full.out && FileCheck %s --check-prefix=RAN < full.err
//
// RUN: %hexcc -w -O2 -gline-tables-only -flto=thin -c main.c && %hexcc -w -O2 -gline-tables-only -flto=thin -c sweep.c
// RUN: env HEXPASS_REPORT=thin.jsonl %hexcc -O2 -flto=thin main.o sweep.o -o thin
// RUN: FileCheck %s --check-prefix=REPORT < thin.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 ./thin 2> thin.err > thin.out
// RUN: cmp plain.out thin.out && FileCheck %s --check-prefix=RAN < thin.err
//
// REPORT: "file":"main.c"{{.*}}"status":"transformed"
// RAN: hexpass: main@main.c:{{[0-9]+}}: cpu

//--- main.c
#include <stdio.h>
#include <stdlib.h>

double *u, *v;
int n = 120;

void sweep();
void exchange();
void note();

int main(void)
{
    u = malloc(sizeof *u * n * n);
    v = malloc(sizeof *v * n * n);
    for (int i = 0; i < n * n; i++)
        u[i] = v[i] = i * 7919 % 1001 * 0.001;
    for (int t = 0; t < 30; t++) {
        sweep(0.2);
        exchange();
    }
    for (int t = 0; t < 3; t++)
        note(t, 1.0f);
    for (int i = 0; i < n * n; i++)
        printf("%a %a\n", u[i], v[i]);
    return 0;
}
//--- sweep.c
#include <stdio.h>

extern double *u, *v;
extern int n;

void exchange()
{
    double *t = u;
    u = v;
    v = t;
}

void note(int t)
{
    printf("%d\n", t);
}

void sweep(double part)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            v[i * n + j] = part * (u[i * n + j] + u[i * n + j - 1] + u[i * n + j + 1] + u[(i - 1) * n + j] +
                                   u[(i + 1) * n + j]);
}
