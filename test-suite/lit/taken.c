// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %clang -O2 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=IR
// RUN: env HEXPASS=off %clang -O2 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=OFF
// RUN: %clang -O0 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=OFF

// CHECK-NOT: not taken
// CHECK: taken.c:[[#@LINE+6]]:{{[0-9]+}}: remark: {{.*}}time loop tiled with
// IR: declare extern_weak {{.*}}i32 @hexrt_run(
// OFF-NOT: hexrt_run

float *heat(float *u, float *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                        u[i * m + j + 1]);
        float *tmp = u;
        u = v;
        v = tmp;
    }
    return u;
}
