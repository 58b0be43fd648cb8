// Two arrays of one buffer on a device, of which only one has borders there: at three points, nothing that one
// reads is what the other writes, and no guard fails. Kernels that give each slot the other's borders would write them
// over what the second array has.
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// RUN: %hexcc -O2 %s -o %t
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu && cmp %t.expected %t.cpu
// RUN: env HEXPASS_DEVICE=emulated HEXPASS_INFO=1 %t > %t.emulated 2> %t.info && cmp %t.expected %t.emulated
// RUN: FileCheck %s < %t.info
// CHECK: lie in one place, and only one of them has borders there
#include <stdio.h>

__attribute__((noinline)) static void two(double *a, double *b, double *c, double *d, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            b[i] = 0.5 * (a[i - 1] + c[i + 1]);
            d[i] = 0.25 * (c[i - 1] + a[i + 1]);
        }
        double *q = a;
        a = b;
        b = q;
        q = c;
        c = d;
        d = q;
    }
}

int main(void)
{
    double x[20];
    for (int n = 3; n < 6; n++)
        for (int steps = 0; steps < 5; steps++) {
            for (int i = 0; i < 20; i++)
                x[i] = i + 1;
            two(x, x + 5, x + 5, x + 15, n, steps);
            for (int i = 0; i < 20; i++)
                printf(" %g", x[i]);
            printf("\n");
        }
    return 0;
}
