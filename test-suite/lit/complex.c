// Where a product of complex numbers comes out as NaN in both parts, the compiler's library looks for infinities. The copy
// that is looked at has arithmetic in place of that call, the original loop keeps it. Quotients are left: libraries differ.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TAKEN
// RUN: %clang -O3 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=ORIGINAL
// RUN: %hexcc -O2 -DRUN %s -o %t -lm
// RUN: env HEXPASS_MODE=off %t > %t.off && env HEXPASS_DEVICE=cpu %t > %t.cpu && env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: cmp %t.off %t.cpu && cmp %t.off %t.emulated
// RUN: FileCheck %s --check-prefix=INFINITE < %t.cpu
#include <complex.h>

// A constant's parts are known: what is left are infinities of the other number.
// CHECK-LABEL: define {{.*}}@turned(
// CHECK-NOT: __muldc3
// CHECK: fmul double {{.*}}, 0x7FF0000000000000
// CHECK-NOT: __muldc3
// CHECK: ret void
void turned(double complex *p, double complex *q, long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            q[i] = p[i] + 0.01 * I * (p[i - 1] - 2.0 * p[i] + p[i + 1]);
        double complex *swap = p;
        p = q;
        q = swap;
    }
}

// CHECK-LABEL: define {{.*}}@multiplied(
// CHECK-NOT: __mulsc3
// CHECK: fmul float {{.*}}, 0x7FF0000000000000
// CHECK-NOT: __mulsc3
// CHECK: ret void
void multiplied(float complex *p, float complex *q, const float complex *k, long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            q[i] = k[i] * p[i] + 0.25f * (p[i - 1] + p[i + 1]);
        float complex *swap = p;
        p = q;
        q = swap;
    }
}

// The modulus is one of libm's.
void scaled(double complex *p, double complex *q, long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D{{.*}}hypot is the host library's
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            q[i] = 0.1 * cabs(p[i]) * (p[i - 1] + p[i + 1]);
        double complex *swap = p;
        p = q;
        q = swap;
    }
}

void divided(double complex *p, double complex *q, long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: loop not taken: __divdc3 is called
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            q[i] = p[i - 1] / p[i + 1];
        double complex *swap = p;
        p = q;
        q = swap;
    }
}

// ORIGINAL-LABEL: define {{.*}}@turned(
// ORIGINAL: call {{.*}}@__muldc3(

#ifdef RUN
#include <math.h>
#include <stdio.h>

enum { N = 500 };
static double complex p[N], q[N];
static float complex u[N], v[N], k[N];

// INFINITE: {{[1-9][0-9]*}} infinite, {{[1-9][0-9]*}} not numbers
// INFINITE: {{[1-9][0-9]*}} infinite, {{[1-9][0-9]*}} not numbers
static void count(const double *x)
{
    int infinite = 0, none = 0;
    for (int i = 0; i < 2 * N; i++) {
        infinite += isinf(x[i]) != 0;
        none += isnan(x[i]) != 0;
        if (isfinite(x[i]))
            printf("%a\n", x[i]);
        else
            puts(isnan(x[i]) ? "nan" : x[i] < 0 ? "-inf" : "inf");
    }
    printf("%d infinite, %d not numbers\n", infinite, none);
}

int main(void)
{
    static double single[2 * N];
    for (int i = 0; i < N; i++) {
        p[i] = q[i] = (i % 17) / 17.0 + I * (i % 13) / 13.0;
        u[i] = v[i] = (i % 17) / 17.0f + I * (i % 13) / 13.0f;
        k[i] = 0.5f + 0.001f * I * (i % 5);
    }
    // Infinite, with a part that is none; and what becomes so by a product too large.
    p[100] = __builtin_complex((double)INFINITY, (double)NAN);
    p[300] = __builtin_complex((double)NAN, -(double)INFINITY);
    u[100] = __builtin_complex(INFINITY, NAN);
    u[200] = __builtin_complex(1e30f, NAN);
    k[200] = __builtin_complex(1e30f, 1.0f);
    k[300] = __builtin_complex(0.0f, -INFINITY);
    turned(p, q, N, 21);
    multiplied(u, v, k, N, 21);
    count((const double *)p);
    for (int i = 0; i < N; i++) {
        single[2 * i] = crealf(u[i]);
        single[2 * i + 1] = cimagf(u[i]);
    }
    count(single);
    return 0;
}
#endif
