// A function of libm that only one arm of a choice needs is asked for there, not at every point. (No loop is told to be vectorised in vain,
// which clang would warn of.)
//
// RUN: %hexcc -O2 -fno-math-errno -S -emit-llvm -o %t.ll %s 2>%t.err
// RUN: FileCheck %s --input-file %t.ll
// RUN: count 0 < %t.err
//
// CHECK-LABEL: define internal {{.*}}hexpass.host.flow
// CHECK: %[[C:.*]] = fcmp ogt double
// CHECK-NEXT: br i1 %[[C]]
// CHECK: call double @pow(
// CHECK-NOT: pow.v
// CHECK: {{^}}}
#include <math.h>

void flow(double *now, double *next, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            double u = now[i], d = now[i - 1] - now[i + 1];
            if (d > 0.4)
                u -= 0.01 * pow(d, 1.3);
            next[i] = u + 0.2 * (now[i - 1] - 2 * now[i] + now[i + 1]);
        }
        double *swap = now;
        now = next;
        next = swap;
    }
}
