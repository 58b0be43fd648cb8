// The largest element, as flang writes it: where sizes may be zero, or less, the first element is read as it was.
// RUN: %hexcc -O3 -gline-tables-only -o %t -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: diff %t.off %t.cpu
// RUN: diff %t.off %t.emulated

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static double run(double *restrict u, double *restrict v, long n, long m, long steps,
                                            long *taken)
{
    double most = 0;
    *taken = 0;
    // CHECK: :[[@LINE+1]]:5: remark: time loop tiled
    for (long t = 0; t < steps; t++) {
        for (long j = 1; j < m - 1; j++)
            for (long i = 1; i < n - 1; i++)
                v[j * n + i] = 0.25 * (u[(j - 1) * n + i] + u[(j + 1) * n + i] + u[j * n + i - 1] + u[j * n + i + 1]);
        double *change = calloc(n > 0 && m > 0 ? n * m : 1, sizeof *change);
        for (long j = 0; j < m; j++)
            for (long i = 0; i < n; i++)
                change[j * n + i] = fabs(v[j * n + i] - u[j * n + i]);
        most = n != 0 && m != 0 ? change[0] : -INFINITY;
        for (long j = 0; j < m; j++)
            for (long i = 0; i < n; i++) {
                double x = change[j * n + i];
                most = (x > most) | ((most != most) & (x == x)) ? x : most;
            }
        free(change);
        for (long j = 0; j < m; j++)
            for (long i = 0; i < n; i++)
                u[j * n + i] = v[j * n + i];
        ++*taken;
        if (most < 1)
            break;
    }
    return most;
}
int main(void)
{
    for (long n = -2; n < 12; n += 1)
        for (long m = -2; m < 12; m += 3) {
            double *u = malloc(1000 * sizeof *u), *v = malloc(1000 * sizeof *u);
            for (int i = 0; i < 1000; i++)
                u[i] = v[i] = i * 37 % 101;
            long taken = 0;
            double most = run(u, v, n, m, 60, &taken), sum = 0;
            for (int i = 0; i < 1000; i++)
                sum += u[i] * (i % 7) + v[i];
            printf("%ld %ld: %g %ld %.17g\n", n, m, most, taken, sum);
            free(u);
            free(v);
        }
}
