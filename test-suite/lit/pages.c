// Two pointers of one structure, between which a page ends. The second is read where a mask says so, perhaps never: it is known to be
// readable beside the first in the same page; here the runtime is asked.
//
// RUN: %plain-clang -O2 -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %hexcc -O2 %s -o %t.pages
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.pages > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck %s < %t.info
//
// CHECK-COUNT-4: hexpass: relax{{.*}}: cpu{{.*}}, 1 steps,

#include <stdio.h>
#include <stdlib.h>

struct fields {
    double *now, *before;
};

__attribute__((noinline)) static void relax(struct fields *s, const unsigned char *mask, int n,
                                            int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double value = s->now[i * m + j];
                if (mask[i * m + j] & 2)
                    value = 0.5 * s->before[(i + 1) * m + j] + 0.5 * s->before[(i - 1) * m + j];
                s->now[i * m + j] = value;
            }
        for (int j = 0; j < m; j++)
            s->before[j] = 3;
        if (t % 2 == 0) {
            double *q = s->now;
            s->now = s->before;
            s->before = q;
        }
    }
}

int main(void)
{
    enum { page = 4096, n = 60, m = 50 };
    char *block = aligned_alloc(page, 2 * page);
    struct fields *s = (struct fields *)(block + page - sizeof s->now);
    unsigned char *mask = malloc(n * m);
    double sum = 0.0;
    s->now = malloc(n * m * sizeof *s->now);
    s->before = malloc(n * m * sizeof *s->before);
    for (int p = 0; p < n * m; p++) {
        s->now[p] = 1.0 + p % 3;
        s->before[p] = 2.0 - p % 5;
        mask[p] = p % 4;
    }
    relax(s, mask, n, m, 4);
    for (int p = 0; p < n * m; p++)
        sum += s->now[p];
    printf("sum %g\n", sum);
    return 0;
}
