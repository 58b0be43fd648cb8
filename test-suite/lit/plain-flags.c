// Flags are numbers only where steps run ahead: what is left of the original keeps a truth value, and says the number where
// somebody wants it.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=OPTIMISED

// The sweep, in a function of its own.
// CHECK-LABEL: define internal {{.*}}@settle.stretch(
// CHECK-NOT: maxnum
// CHECK-DAG: phi i1
// CHECK-DAG: or i1
// CHECK-DAG: select i1 {{.*}}, float 1.000000e+00, float 0.000000e+00
// CHECK-NOT: maxnum
// CHECK: define {{.*}}@settle.stretch.ahead(
// OPTIMISED-LABEL: define internal {{.*}}@settle.stretch(
// OPTIMISED-NOT: maxnum
// OPTIMISED: or <{{[0-9]+}} x i1>
// OPTIMISED-NOT: maxnum
// OPTIMISED: define {{.*}}@settle.stretch.ahead(
int settle(double *u, double *v, long n, double tolerance, int most)
{
    int done = 0, t = 0;
    while (!done && t < most) {
        done = 1;
        for (long i = 1; i < n - 1; i++) {
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
            if (v[i] - u[i] > tolerance)
                done = 0;
        }
        double *swap = u;
        u = v;
        v = swap;
        t++;
    }
    return t;
}
