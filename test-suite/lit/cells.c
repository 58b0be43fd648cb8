// Cells of a grid that are copied whole: each member by itself, once, if it is known what their members are.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefix=TAKEN

struct cell {
    double h, u, v;
};

// The wall's speed is turned round: there is no store of what it was.
// CHECK-LABEL: define {{.*}}@flow(
// CHECK-NOT: llvm.memcpy
// CHECK-COUNT-5: store double
// CHECK: fneg double
// CHECK: store double
// CHECK-NOT: store double
// CHECK: ret void
void flow(struct cell *q, struct cell *next, int n, int m, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const struct cell *c = &q[i * m + j];
                next[i * m + j].h = c->h - 0.1 * (c[m].u - c[-m].u + c[1].v - c[-1].v);
                next[i * m + j].u = c->u - 0.1 * (c[m].h - c[-m].h);
                next[i * m + j].v = c->v - 0.1 * (c[1].h - c[-1].h);
            }
        for (int i = 0; i < n; i++) {
            next[i * m] = next[i * m + 1];
            next[i * m].v = -next[i * m].v;
        }
        struct cell *kept = q;
        q = next;
        next = kept;
    }
}

struct sealed {
    char inside[24];
};

// Nobody knows what is in them.
// CHECK-LABEL: define {{.*}}@unknown(
// CHECK: llvm.memcpy
// CHECK: ret void
void unknown(struct sealed *q, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n; i++)
            q[i * m] = q[i * m + 1];
}

struct mixed {
    double h;
    float u;
};

// There is something between one cell's last member and the next cell.
// CHECK-LABEL: define {{.*}}@padded(
// CHECK: llvm.memcpy
// CHECK: ret void
void padded(struct mixed *q, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n; i++) {
            q[i * m] = q[i * m + 1];
            q[i * m + 2].h = q[i * m + 2].u;
        }
}
