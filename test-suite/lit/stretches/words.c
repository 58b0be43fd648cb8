// Sweeps run ahead of a loop that exchanges two pointers in memory: the loop goes on doing so step by step, and the function of
// several steps leaves the pointers as they were.
// RUN: %plain-clang -O2 -fno-math-errno -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s

#include <math.h>

// CHECK-LABEL: define {{.*}}@solve(
// CHECK: store i32 16, ptr
// CHECK: call void @solve.stretch.ahead(i64 16,
// CHECK: store ptr {{%.*}}, ptr %0
// CHECK: store ptr {{%.*}}, ptr %1
// CHECK: ret i32
int solve(double **now, double **next, long n, int steps, double tolerance)
{
    int t;
    for (t = 0; t < steps; t++) {
        double change = 0.0;
        for (long i = 1; i < n - 1; i++) {
            (*next)[i] = 0.5 * (*now)[i] + 0.25 * ((*now)[i - 1] + (*now)[i + 1]);
            change = fmax(change, fabs((*next)[i] - (*now)[i]));
        }
        double *kept = *now;
        *now = *next;
        *next = kept;
        if (change < tolerance)
            break;
    }
    return t;
}

// One step as it was written, behind which the loop exchanges them.
// CHECK-LABEL: define internal void @solve.stretch(
// CHECK-NOT: store ptr
// CHECK: ret void
// CHECK-LABEL: define internal void @solve.stretch.ahead(
// CHECK-NOT: store ptr {{.*}}, ptr %{{[01]}},
// CHECK: call void @solve.stretch(i64 1,
// CHECK-NOT: store ptr {{.*}}, ptr %{{[01]}},
// CHECK: ret void
