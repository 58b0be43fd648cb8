// The call of the runtime costs the inliner nothing: a function is inlined as it is without the plugin.
// RUN: %plain-clang -O2 -fno-math-errno -S -emit-llvm -o - %s | FileCheck %s --implicit-check-not="call {{.*}}@heat"
// RUN: %clang -O2 -fno-math-errno -S -emit-llvm -o - %s | FileCheck %s --implicit-check-not="call {{.*}}@heat"

void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]) +
                               0.05 * (u[(i - 1) * m + j - 1] + u[(i - 1) * m + j + 1] + u[(i + 1) * m + j - 1] +
                                       u[(i + 1) * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

// CHECK: define {{.*}}@run(
void run(double *u, double *v, int n, int m, int steps) { heat(u, v, n, m, steps); }
