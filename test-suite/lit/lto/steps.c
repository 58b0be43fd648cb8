// A step whose sweeps are in functions of their own, which find each element by a function of another unit: all of them wait for the
// link, the time loop too, in which there is nothing but calls.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %plain-clang -O2 main.c grid.c -o plain && ./plain > plain.out
// RUN: env HEXPASS_REPORT=report.jsonl %hexcc -O2 -g -flto -fuse-ld=lld main.c grid.c -o steps
// RUN: FileCheck %s --check-prefix=REPORT < report.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 ./steps 2> info > out
// RUN: cmp plain.out out && FileCheck %s --check-prefix=RAN < info
//
// REPORT: "function":"solve"{{.*}}"status":"transformed"
// RAN: hexpass: solve@{{.*}}main.c:{{[0-9]+}}: cpu{{.*}}, 10 steps,

//--- grid.h
struct grid { int n; double *u; };
double *at(const struct grid *g, int i, int j);

//--- grid.c
#include "grid.h"

double *at(const struct grid *g, int i, int j)
{
    return g->u + i * g->n + j;
}

//--- main.c
#include "grid.h"
#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };

void slope(const struct grid *u, const struct grid *q)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            *at(q, i, j) = *at(u, i - 1, j) + *at(u, i + 1, j) + *at(u, i, j - 1) + *at(u, i, j + 1) - 4 * *at(u, i, j);
}

void step(const struct grid *u, const struct grid *q)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            *at(u, i, j) += 0.1 * *at(q, i, j);
}

void solve(const struct grid *u, const struct grid *q, int steps)
{
    for (int t = 0; t < steps; t++) {
        slope(u, q);
        step(u, q);
    }
}

int main(void)
{
    struct grid u = {N, calloc(N * N, sizeof(double))}, q = {N, calloc(N * N, sizeof(double))};
    for (int i = 0; i < N; i++)
        *at(&u, i, i / 2) = i;
    solve(&u, &q, 10);
    double sum = 0;
    for (int i = 0; i < N * N; i++)
        sum += u.u[i] * (i % 7);
    printf("%.17g\n", sum);
    return 0;
}
