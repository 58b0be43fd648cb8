// A loop over the shorter of two lengths, of which one is that of all rows: so it is taken, and the runtime finds out where the
// other one is shorter.
// RUN: %hexcc -O3 -gline-tables-only -o %t -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t > %t.cpu 2> %t.info
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: diff %t.off %t.cpu
// RUN: diff %t.off %t.emulated
// RUN: FileCheck %s --check-prefix=INFO < %t.info

#include <stdio.h>

static double u[2000], d[2000];

__attribute__((noinline)) void heat(long n, long m, long most, long steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < m - 1; j++)
                d[i * m + j] = u[(i - 1) * m + j] + u[(i + 1) * m + j] - 2.0 * u[i * m + j];
        long all = n * m < most ? n * m : most;
        for (long k = 0; k < all; k++)
            u[k] += 0.1 * d[k];
    }
}

int main(void)
{
    // INFO: cpu
    // INFO: cpu
    // INFO: original loop: {{.*}}(check-size)
    // INFO: original loop: {{.*}}(check-size)
    const long lengths[] = {1200, 1500, 1199, 35, 0, -3};
    for (int which = 0; which < 6; which++) {
        for (int k = 0; k < 2000; k++)
            u[k] = (k * 37 % 101) / 101.0, d[k] = 1.0 / (k + 1);
        heat(40, 30, lengths[which], 7);
        double sum = 0.0;
        for (int k = 0; k < 2000; k++)
            sum += u[k] * (1.0 + 1e-3 * k) + d[k];
        printf("%ld: %.17g\n", lengths[which], sum);
    }
    return 0;
}
