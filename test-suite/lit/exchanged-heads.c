// Structures in memory that change places by a local copy do so word by word: their pointers are exchanged, as two members are.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefix=TAKEN

struct head {
    double *at;
    long length, room;
};

void look(struct head *);

static void sweep(const double *u, double *v, long n)
{
    for (long i = 1; i < n - 1; i++)
        v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
}

// CHECK-LABEL: define {{.*}}@exchanged(
// CHECK-NOT: llvm.memcpy
// CHECK: ret void
void exchanged(struct head *all, long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        sweep(all[0].at, all[1].at, n);
        struct head kept = all[0];
        all[0] = all[1];
        all[1] = kept;
    }
}

// Somebody else has the local.
// CHECK-LABEL: define {{.*}}@told(
// CHECK: llvm.memcpy
// CHECK: ret void
void told(struct head *all, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep(all[0].at, all[1].at, n);
        struct head kept = all[0];
        all[0] = all[1];
        all[1] = kept;
        look(&kept);
    }
}
