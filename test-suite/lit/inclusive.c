// A range that keeps beside its number whether it is exhausted, as Rust's `1..=n` does: the loop counts its iterations where
// their number fits, and ends with the last number else.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefix=TAKEN

// The first number is not the smallest of its type: that many iterations can be counted.
// CHECK-LABEL: define {{.*}}@from_one(
// CHECK: %trip = phi i64
// CHECK: icmp ult i64 %trip, %{{[0-9]+}}
// CHECK: ret void
void from_one(double *u, double *v, unsigned long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        unsigned long at = 1;
        _Bool exhausted = 0;
        while (!exhausted && at <= n) {
            unsigned long i = at;
            if (at < n)
                at++;
            else
                exhausted = 1;
            v[i] = 0.5 * u[i] + 0.25 * u[i - 1];
        }
        double *swap = u;
        u = v;
        v = swap;
    }
}

// As `from_one`, from the other end.
// CHECK-LABEL: define {{.*}}@downwards(
// CHECK: %trip = phi i64
// CHECK: sub nuw i64 %{{[0-9]+}}, %trip
// CHECK: ret void
void downwards(double *u, unsigned long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        unsigned long at = n;
        _Bool exhausted = 0;
        while (!exhausted && 1 <= at) {
            unsigned long i = at;
            if (1 < at)
                at--;
            else
                exhausted = 1;
            u[i] = 0.5 * u[i] + 0.25 * u[i - 1];
        }
    }
}

// All numbers there are would be one more than can be counted.
// CHECK-LABEL: define {{.*}}@from_none(
// CHECK-NOT: %trip = phi
// CHECK: icmp eq i64 %{{.*}}, %2
// CHECK: ret void
void from_none(double *u, double *v, unsigned long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        unsigned long at = 0;
        _Bool exhausted = 0;
        while (!exhausted && at <= n) {
            unsigned long i = at;
            if (at < n)
                at++;
            else
                exhausted = 1;
            v[i + 1] = 0.5 * u[i + 1] + 0.25 * u[i];
        }
        double *swap = u;
        u = v;
        v = swap;
    }
}

// Somebody asks behind the loop where the range has ended.
// CHECK-LABEL: define {{.*}}@looked_at(
// CHECK-NOT: %trip = phi
// CHECK: ret i64
unsigned long looked_at(double *u, double *v, unsigned long n, int steps)
{
    unsigned long seen = 0;
    for (int t = 0; t < steps; t++) {
        unsigned long at = 1;
        _Bool exhausted = 0;
        while (!exhausted && at <= n) {
            unsigned long i = at;
            if (at < n)
                at++;
            else
                exhausted = 1;
            v[i] = 0.5 * u[i] + 0.25 * u[i - 1];
        }
        seen += at + exhausted;
    }
    return seen;
}
