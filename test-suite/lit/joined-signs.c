// Where clean-up has made one comparison of several indices' signs, each is compared by itself again; signs that differ, sums
// and data stay as they are.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefix=TAKEN

// CHECK-LABEL: define {{.*}}@inside(
// CHECK-NOT: = or i32
// CHECK: ret void
void inside(const int *restrict u, int *restrict v, int n, int m, int by)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int a = i - 1, b = j - 1, alive = 0;
            if (a >= 0 && b >= 0)
                alive = u[a * m + b];
            v[i * m + j] = alive;
        }
}

// CHECK-LABEL: define {{.*}}@differ(
// CHECK: [[BOTH:%.*]] = xor i32
// CHECK: icmp {{slt|sgt}} i32 [[BOTH]], {{0|-1}}
// CHECK: ret void
void differ(const int *restrict u, int *restrict v, int n, int m, int by)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            v[i * m + j] = ((i - 3) ^ by) < 0 ? u[i * m + j] : 1;
}

// CHECK-LABEL: define {{.*}}@data(
// CHECK: [[ANY:%.*]] = or i32
// CHECK: icmp {{slt|sgt}} i32 [[ANY]], {{0|-1}}
// CHECK: ret void
void data(const int *restrict u, int *restrict v, int n, int m, int by)
{
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            v[i * m + j] = (u[i * m + j] | u[i * m + j - 1]) >= 0 ? by : 1;
}

void life(int *u, int *v, int n, int m, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (int t = 0; t < steps; t++) {
        inside(u, v, n, m, 1);
        int *swap = u;
        u = v;
        v = swap;
    }
}
