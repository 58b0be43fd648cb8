// Populations that are copied back by a loop of their own: it is unrolled for the analysis, and what is left of the
// original is again what the host makes of the source, copies of whole rows.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -pass-remarks=hexpass -S -o - %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -S -emit-llvm -o - %s | FileCheck --check-prefix=ROWS %s

enum { MOST = 72 };
double f[MOST][MOST][5], g[MOST][MOST][5];

// CHECK-COUNT-3: time loop tiled
// CHECK-LABEL: define {{.*}}@lattice(
// CHECK: call void @llvm.memcpy{{.*}}(ptr align 8 {{.*}}, ptr align 8 {{.*}}, i64 40, i1 false){{.*}}, !tbaa
// CHECK-NOT: store double
// CHECK: ret void
// ROWS-LABEL: define {{.*}}@lattice(
// ROWS-NOT: i64 40,
// ROWS: call void @llvm.memcpy{{.*}}, i64 %{{[^,]*}}, i1 false)
// ROWS-NOT: i64 40,
// ROWS: ret void
void lattice(int n, int steps, const double *w)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                double density = f[i][j][0] + f[i - 1][j][1] + f[i][j - 1][2] + f[i + 1][j][3] + f[i][j + 1][4];
                for (int k = 0; k < 5; k++)
                    g[i][j][k] = 0.8 * w[k] * density + 0.2 * f[i][j][k];
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 0; k < 5; k++)
                    f[i][j][k] = g[i][j][k];
    }
}

// One of five stays as it was.
// CHECK-LABEL: define {{.*}}@gap(
// CHECK-NOT: @llvm.memcpy
// CHECK: ret void
void gap(int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 0; k < 4; k++)
                    g[i][j][k] = 0.5 * (f[i - 1][j][k] + f[i][j + 1][k]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 0; k < 4; k++)
                    f[i][j][k] = g[i][j][k];
    }
}

// The arrays may be one, shifted.
// CHECK-LABEL: define {{.*}}@pointers(
// CHECK-NOT: @llvm.memcpy
// CHECK: ret void
void pointers(double (*u)[2], double (*v)[2], int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int k = 0; k < 2; k++)
                v[i][k] = 0.5 * (u[i - 1][k] + u[i + 1][k]);
        for (int i = 1; i < n - 1; i++)
            for (int k = 0; k < 2; k++)
                u[i][k] = v[i][k];
    }
}

// Each iteration writes half of what the next one writes.
double a[MOST], b[MOST];
// CHECK-LABEL: define {{.*}}@again(
// CHECK-NOT: @llvm.memcpy
// CHECK: ret void
void again(int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        for (int i = 1; i < n - 2; i++)
            for (int k = 0; k < 2; k++)
                a[i + k] = b[i + k];
    }
}
