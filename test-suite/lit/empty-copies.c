// Copies of vectors as newer standard libraries have them (many elements, one, or none) are conditions on numbers.

// RUN: %plain-clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %hexcc -O2 -g %s -o %t.copies
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.copies 2> %t.info > %t.out
// RUN: cmp %t.expected %t.out && FileCheck %s < %t.info
//
// CHECK: hexpass: run@{{.*}}empty-copies.c:{{[0-9]+}}: cpu{{.*}}, 40 steps,

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
    double *begin, *end;
};

static void copy(const struct vector *from, struct vector *to)
{
    long count = from->end - from->begin;
    if (count > 1)
        memmove(to->begin, from->begin, count * sizeof(double));
    else if (count == 1)
        *to->begin = *from->begin;
}

__attribute__((noinline)) static void run(struct vector *u, struct vector *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v->begin[i * m + j] = 0.25 * (u->begin[i * m + j - 1] + u->begin[i * m + j + 1] +
                                              u->begin[(i - 1) * m + j] + u->begin[(i + 1) * m + j]);
        copy(v, u);
    }
}

int main(void)
{
    int n = 100, m = 90;
    struct vector u = {malloc(n * m * sizeof(double)), 0}, v = {malloc(n * m * sizeof(double)), 0};
    u.end = u.begin + n * m;
    v.end = v.begin + n * m;
    for (int i = 0; i < n * m; i++)
        u.begin[i] = v.begin[i] = i % 7;
    run(&u, &v, n, m, 40);
    for (int i = 0; i < n * m; i++)
        printf("%a\n", u.begin[i]);
    return 0;
}
