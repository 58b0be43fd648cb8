// Rows that are looked up under a condition on data only: where a table of them, or one of them, is no memory, or where they
// are one row, the original loop runs, which does not touch it.
// RUN: %plain-clang -w -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: env HEXPASS_REPORT=%t.jsonl %hexcc -w -O2 -gline-tables-only %s -o %t.hex && env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
// RUN: cmp %t.plain.out %t.out
// RUN: FileCheck %s < %t.jsonl
// CHECK-DAG: "function":"relax"{{.*}}"message":"time loop tiled
// CHECK-DAG: "function":"planes"{{.*}}"message":"time loop tiled
// RUN: FileCheck %s --check-prefix=INFO < %t.info
// INFO: relax@{{.*}}: cpu
// INFO-NOT: relax@{{.*}}: cpu
// INFO: planes@{{.*}}: cpu
// INFO-NOT: planes@{{.*}}: cpu
// The runtime is told of an execution with the first word that it is asked about, and only with that.
// RUN: %clang -w -O2 -gline-tables-only -S -emit-llvm -o - %s | FileCheck %s --check-prefix=ASKED
// ASKED-LABEL: define {{.*}}@relax(
// ASKED: call {{.*}}i1 @hexpass.readable(ptr{{.*}} @hexpass.nest.relax
// ASKED-NOT: @hexpass.readable(ptr{{.*}} @hexpass.nest
// ASKED: call {{.*}}i1 @hexpass.readable(ptr null
// ASKED-NOT: @hexpass.readable(ptr{{.*}} @hexpass.nest
// ASKED: ret void
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 40, M = 30 };

__attribute__((noinline)) void relax(double **u, double **v, const unsigned char *free, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                if (free[i * m + j])
                    v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                if (free[i * m + j])
                    u[i][j] = v[i][j];
    }
}

struct pair {
    double *u, *v;
};

// A pointer to the structure is read under the condition as well.
__attribute__((noinline)) void planes(struct pair **at, const unsigned char *free, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                if (free[i * m + j])
                    (*at)->v[i * m + j] = 0.5 * ((*at)->u[i * m + j - 1] + (*at)->u[(i + 1) * m + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                if (free[i * m + j])
                    (*at)->u[i * m + j] = (*at)->v[i * m + j];
    }
}

static double u[N * M], v[N * M];
static unsigned char some[N * M], none[N * M];

int main(void)
{
    double **a = malloc(N * sizeof *a), **b = malloc(N * sizeof *b);
    for (int i = 0; i < N; i++) {
        a[i] = u + i * M;
        b[i] = v + i * M;
    }
    for (int i = 0; i < N * M; i++) {
        u[i] = (i * 37 % 101) * 0.01;
        some[i] = i % 7 != 0;
    }
    relax(a, b, some, N, M, 40);
    // No tables; tables in memory that is not to be read, from the first entry or from a later one on.
    relax(NULL, NULL, none, N, M, 40);
    relax(a, NULL, none, N, M, 40);
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double **cut = (double **)(pages + 4096) - N / 2;
    memcpy(cut, a, N / 2 * sizeof *a);
    mprotect(pages + 4096, 4096, PROT_NONE);
    relax(cut, b, none, N, M, 40);
    relax((double **)(pages + 4096), b, none, N, M, 40);
    // Rows that nobody looks up.
    for (int j = 0; j < M; j++)
        for (int i = 9; i <= 11; i++)
            some[i * M + j] = 0;
    double *row = a[10];
    a[10] = (double *)8;
    relax(a, b, some, N, M, 40);
    a[10] = a[12];
    relax(a, b, some, N, M, 40);
    a[10] = row;
    struct pair both = {u, v}, *at = &both;
    planes(&at, some, N, M, 40);
    planes(NULL, none, N, M, 40);
    at = (struct pair *)(pages + 4096 + 64);
    planes(&at, none, N, M, 40);
    at = NULL;
    planes(&at, none, N, M, 40);
    double sum = 0.0;
    for (int i = 0; i < N * M; i++)
        sum = 0.99 * sum + u[i] + 0.5 * v[i];
    printf("%.17g\n", sum);
    return 0;
}
