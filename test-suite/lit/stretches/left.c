// Time loops with side code that stay as they are, to the last name in the module.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %plain-clang -O2 -g -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -S -o %t.before %t.ll
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o %t.after %t.ll
// RUN: diff %t.before %t.after
// CHECK-NOT: tiled

#include <stdlib.h>

void show(const double *u, int n);

// The change of each step, as a sum.
// CHECK: left.c:[[#@LINE+4]]:{{[0-9]+}}: remark: loop not taken: a sweep computes {{.*}} [reduction]
double converge(double *u, double *v, int n, double tolerance)
{
    double change;
    do {
        change = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            change += (v[i] - u[i]) * (v[i] - u[i]);
        }
        double *tmp = u;
        u = v;
        v = tmp;
    } while (change > tolerance);
    return change;
}

// Grids of a step of their own.
// CHECK: left.c:[[#@LINE+3]]:{{[0-9]+}}: remark: loop not taken: {{.*}} [base-pointer]
void fresh(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double *v = malloc(n * sizeof *v);
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
        free(v);
    }
}
