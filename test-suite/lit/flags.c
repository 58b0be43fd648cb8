// A flag that sweeps leave, or a number of changes, of which somebody asks only whether it is zero, becomes the largest of zeros
// and ones.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefix=TAKEN

#define SWEEP(...)                                                                                                     \
    for (long i = 1; i < n - 1; i++) {                                                                                 \
        v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);                                                              \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    double *swap = u;                                                                                                  \
    u = v;                                                                                                             \
    v = swap;

// CHECK-LABEL: define {{.*}}@counted(
// CHECK: call {{.*}}float @llvm.maxnum.f32(
// CHECK: fcmp {{ule|ogt}} float
// CHECK: ret void
void counted(double *u, double *v, long n, int most)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < most; t++) {
        int changes = 0;
        SWEEP(if (v[i] != u[i]) changes++;)
        if (!changes)
            break;
    }
}

// CHECK-LABEL: define {{.*}}@cleared(
// CHECK: call {{.*}}float @llvm.maxnum.f32(
// CHECK: ret void
void cleared(double *u, double *v, long n, double tolerance)
{
    int done = 0;
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    while (!done) {
        done = 1;
        SWEEP(if (v[i] - u[i] > tolerance) done = 0;)
    }
}

// Somebody wants the number.
// CHECK-LABEL: define {{.*}}@kept(
// CHECK-NOT: maxnum
// CHECK: ret i32
int kept(double *u, double *v, long n, int most)
{
    int all = 0;
    for (int t = 0; t < most; t++) {
        int changes = 0;
        SWEEP(if (v[i] != u[i]) changes++;)
        if (!changes)
            break;
        all += changes;
    }
    return all;
}

// It may wrap round to zero.
// CHECK-LABEL: define {{.*}}@wraps(
// CHECK-NOT: maxnum
// CHECK: ret void
void wraps(double *u, double *v, long n, int most)
{
    for (int t = 0; t < most; t++) {
        unsigned char changes = 0;
        SWEEP(if (v[i] != u[i]) changes++;)
        if (!changes)
            break;
    }
}
