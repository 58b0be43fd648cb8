// Time loops with side code that stay as they are, to the last name in the module.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %plain-clang -O2 -g -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -S -o %t.before %t.ll
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o %t.after %t.ll
// RUN: diff %t.before %t.after
// CHECK-NOT: tiled

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void show(const double *u, int n);

// The change of each step, as a sum that each step prints.
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
        printf("%g\n", change);
    } while (change > tolerance);
    return change;
}

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

// A sum that goes on through all steps.
// CHECK: left.c:[[#@LINE+4]]:{{[0-9]+}}: remark: loop not taken: {{.*}} [reduction]
double total(double *u, double *v, int n, int steps)
{
    double sum = 0.0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            sum += v[i];
        }
        double *tmp = u;
        u = v;
        v = tmp;
    }
    return sum;
}

// Of what a comparison is made, an order must be kept: not by a distance from something, nor for equality.
// CHECK: left.c:[[#@LINE+4]]:{{[0-9]+}}: remark: loop not taken: {{.*}} [reduction]
int near(double *u, double *v, int n, double mean)
{
    int t = 0;
    for (double sum = 0.0; fabs(sum - mean) > 0.1 && sum != 7.0; t++) {
        sum = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            sum += v[i];
        }
        double *tmp = u;
        u = v;
        v = tmp;
    }
    return t;
}
