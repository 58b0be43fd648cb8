// Fields of a structure that are read under a condition on data only, beside others that are read surely: where they lie in
// another page, which may be no memory at all, the original loop runs.
// RUN: %plain-clang -w -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: env HEXPASS_REPORT=%t.jsonl %hexcc -w -O2 -gline-tables-only %s -o %t.hex && env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
// RUN: cmp %t.plain.out %t.out
// RUN: FileCheck %s < %t.jsonl
// CHECK: "function":"relax"{{.*}}"message":"time loop tiled
// RUN: FileCheck %s --check-prefix=INFO < %t.info
// INFO: relax@{{.*}}: cpu
// INFO: relax@{{.*}}: original loop: {{.*}}(address)
// INFO-NOT: relax
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 40, M = 30 };

struct plate {
    const unsigned char *free;
    int n, m;
    // Read under the condition.
    double *u, *v;
    double factor;
};

__attribute__((noinline)) void relax(struct plate *p, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < p->n - 1; i++)
            for (int j = 1; j < p->m - 1; j++)
                if (p->free[i * p->m + j])
                    p->v[i * p->m + j] = p->factor * (p->u[(i - 1) * p->m + j] + p->u[(i + 1) * p->m + j] +
                                                      p->u[i * p->m + j - 1] + p->u[i * p->m + j + 1]);
        for (int i = 1; i < p->n - 1; i++)
            for (int j = 1; j < p->m - 1; j++)
                if (p->free[i * p->m + j])
                    p->u[i * p->m + j] = p->v[i * p->m + j];
    }
}

static double u[N * M], v[N * M];
static unsigned char some[N * M], none[N * M];

int main(void)
{
    for (int i = 0; i < N * M; i++) {
        u[i] = (i * 37 % 101) * 0.01;
        some[i] = i % 7 != 0;
    }
    // In one page, wherever the stack lies.
    _Alignas(64) struct plate here = {some, N, M, u, v, 0.25};
    relax(&here, 20);
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    // No grids: nothing may be written through their pointers.
    struct plate *within = (struct plate *)pages;
    *within = (struct plate){none, N, M, NULL, NULL, 0.25};
    relax(within, 20);
    // The page behind the sizes is no memory.
    struct plate *across = (struct plate *)(pages + 4096 - 16);
    memcpy(across, &(struct plate){none, N, M}, 16);
    mprotect(pages + 4096, 4096, PROT_NONE);
    relax(across, 20);
    double sum = 0.0;
    for (int i = 0; i < N * M; i++)
        sum = 0.99 * sum + u[i] + 0.5 * v[i];
    printf("%.17g\n", sum);
    return 0;
}
