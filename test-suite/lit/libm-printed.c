// Functions of libm may set errno, which nobody in this file looks at: sweeps that call them wait while some steps are printed,
// without -fno-math-errno as well.
// RUN: %clang -O2 %s -o %t.stock -lm && %t.stock > %t.expected
// RUN: %hexcc -O2 -gline-tables-only -Rpass=hexpass %s -o %t -lm 2>&1 | FileCheck %s
// RUN: env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t > %t.cpu 2> %t.info && cmp %t.expected %t.cpu
// RUN: FileCheck %s --check-prefix=RAN < %t.info
// RAN: 49 steps
#include <math.h>
#include <stdio.h>

enum { n = 1000 };
static double u[n + 1], v[n + 1];

int main(void)
{
    for (int i = 0; i <= n; i++)
        u[i] = i % 17;
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < 200; t++) {
        for (int i = 1; i < n; i++)
            v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]) + 1e-3 * sin(u[i]);
        for (int i = 1; i < n; i++)
            u[i] = v[i];
        if (t % 50 == 0)
            printf("%d %.17g\n", t, u[5]);
    }
    for (int i = 0; i <= n; i++)
        printf("%.17g\n", u[i]);
    return 0;
}
