// Sweeps that say something, or leave the loop, where a number is not what it should be: they run ahead, and leave whether they
// would have. Conditions on the place alone are no alarms, and what has been computed in case of one is wanted by nobody else.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --check-prefix=TOLD
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SWEEP(...)                                                                                                     \
    for (long i = 1; i < n - 1; i++) {                                                                                 \
        double x = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);                                                          \
        __VA_ARGS__                                                                                                    \
        v[i] = x;                                                                                                      \
    }                                                                                                                  \
    double *swap = u;                                                                                                  \
    u = v;                                                                                                             \
    v = swap;

// The stretch as it was written brings home what may lie on a device, and says it.
// CHECK-NOT: hexpass.alarm
// CHECK-LABEL: define internal void @said.stretch(
// CHECK: call void @hexrt_home(ptr %frame, i32 1)
// CHECK: call i32 (ptr, ...) @printf(
// CHECK-LABEL: define internal void @said.stretch.ahead(
// CHECK-NOT: printf
// CHECK: call void @said.stretch(
void said(double *u, double *v, long n, int steps)
{
    // TOLD: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        SWEEP(if (x > 9.0) printf("%ld\n", i);)
    }
}

// CHECK-LABEL: define internal void @ended.stretch(
// CHECK: call void @exit(
void ended(double *u, double *v, long n, int steps)
{
    // TOLD: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        SWEEP(if (isnan(x)) exit(1);)
    }
}

// By which way it was left, and with what.
// CHECK-LABEL: define internal void @left.stretch(
// CHECK: store i64 %{{.*}}, ptr
// CHECK: store i64 1, ptr
// CHECK-NEXT: br label %common.ret
int left(double *u, double *v, long n, int steps)
{
    // TOLD: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        SWEEP(if (x > 9.0) return (int)i;)
    }
    return -1;
}

int counted(double *u, double *v, long n, int steps)
{
    int warnings = 0;
    // TOLD: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        SWEEP(if (x > 9.0) { puts("hot"); warnings++; })
    }
    return warnings;
}

void by_place(double *u, double *v, long n, int steps)
{
    // TOLD: [[@LINE+1]]:5: remark: loop not taken
    for (int t = 0; t < steps; t++) {
        SWEEP(if (i == 7) printf("%g\n", x);)
    }
}

extern double other(double x);
void handed_on(double *u, double *v, long n, int steps)
{
    // TOLD: [[@LINE+1]]:5: remark: loop not taken
    for (int t = 0; t < steps; t++) {
        SWEEP(if (x > 9.0) x = other(x);)
    }
}

// The step goes on behind the sweep.
void broken_off(double *u, double *v, long n, int steps)
{
    // TOLD: [[@LINE+1]]:5: remark: loop not taken
    for (int t = 0; t < steps; t++) {
        SWEEP(if (x > 9.0) break;)
    }
}
