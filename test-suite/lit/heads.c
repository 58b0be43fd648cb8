// An iterator that leaves elements out does so when it is first asked for the next one: the loop begins behind that question,
// and ends with it. It may end for one of two reasons then.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefix=TAKEN

// CHECK-LABEL: define {{.*}}@skips(
// What is left out is asked for once, before the loop; in it, nothing is added but a step.
// CHECK: .first
// CHECK: [[AT:%[0-9a-z.]+]] = phi i64 [{{.*}}1{{.*}}]
// CHECK-NOT: select
// CHECK: store double
// CHECK: ret void
void skips(double *u, double *v, long n, long most, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        long left = 1, at = 0, taken = 0;
        for (;;) {
            if (taken == most)
                break;
            if (left != 0) {
                if (left >= n)
                    break;
                at += left;
                left = 0;
            } else if (at == n) {
                break;
            }
            v[at] = 0.5 * u[at] + 0.25 * u[at - 1];
            at++;
            taken++;
        }
        double *swap = u;
        u = v;
        v = swap;
    }
}

// A head with effects of its own stays where it is.
// CHECK-LABEL: define {{.*}}@writes(
// CHECK-NOT: .first
// CHECK: ret void
void writes(double *u, double *v, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        int begun = 0;
        for (long i = 1; i < n; i++) {
            if (!begun) {
                v[0] = u[0];
                begun = 1;
            }
            v[i] = 0.5 * u[i] + 0.25 * u[i - 1];
        }
        double *swap = u;
        u = v;
        v = swap;
    }
}
