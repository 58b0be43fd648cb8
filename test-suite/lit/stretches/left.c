// Time loops with side code that stay as they are, to the last name in the module.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %plain-clang -O2 -g -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -S -o %t.before %t.ll
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o %t.after %t.ll
// RUN: diff %t.before %t.after
// CHECK-NOT: tiled

// A sum that the same sweep needs.
// CHECK: left.c:[[#@LINE+4]]:{{[0-9]+}}: remark: loop not taken: {{.*}} [reduction]
double running(double *u, double *v, int n, int steps)
{
    double sum = 0.0;
    for (int t = 0; t < steps; t++) {
        sum = 0.0;
        for (int i = 1; i < n - 1; i++) {
            sum += u[i];
            v[i] = 0.5 * (u[i - 1] + u[i + 1]) - 1e-3 * sum;
        }
        double *tmp = u;
        u = v;
        v = tmp;
    }
    return sum;
}
