// A stretch knows of its pointers what the function knew: which of them lead to objects that nothing else of it leads to,
// also where they are swapped. The loop as it was written is then as fast there as it was.
// RUN: %plain-clang -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s
#include <stdlib.h>

void show(const double *u, int n);
const double *near(const double *u);

// CHECK: define internal void @swapped.stretch({{.*}}, ptr noalias %{{[^,]*}}, ptr noalias %{{[^,]*}}, ptr noalias %{{[^,]*}}, ptr %frame)
void swapped(int n, int steps)
{
    double *u = calloc(n, sizeof *u), *v = calloc(n, sizeof *v), *c = malloc(n * sizeof *c);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            c[i] = u[i - 1] + u[i + 1];
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * c[i] + u[i];
        double *tmp = u;
        u = v;
        v = tmp;
        if (t % 10 == 0)
            show(u, n);
    }
}

// The caller's arrays may be one.
// CHECK: define internal void @arguments.stretch(
// CHECK-NOT: noalias
// CHECK-SAME: ptr %frame)
void arguments(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
        if (t % 10 == 0)
            show(u, n);
    }
}

// Somebody who has been told of one object gives a pointer that may lead there.
// CHECK: define internal void @told.stretch({{.*}}, ptr noalias %{{[^,]*}}, ptr %{{[^,]*}}, ptr %{{[^,]*}}, ptr %frame)
void told(int n, int steps)
{
    double *u = calloc(n, sizeof *u), *w = malloc(n * sizeof *w);
    const double *c = near(u);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            w[i] = u[i - 1] + u[i + 1] + c[i];
        for (int i = 1; i < n - 1; i++)
            u[i] = w[i];
        if (t % 10 == 0)
            show(u, n);
    }
}

// One that is made and kept in each step, whose address goes through a number, is apart from all that was known before, and callees know
// nothing of it until they are told.
// CHECK: define internal void @fresh.stretch({{.*}}, ptr %{{[^,]*}}, ptr noalias %{{[^,]*}}, ptr %frame)
void fresh(double *u, int n, size_t have, int steps)
{
    for (int t = 0; t < steps; t++) {
        size_t kept = 8;
        if (n > 0)
            kept = (size_t)malloc(n * sizeof *u);
        double *v = (double *)kept;
        for (int i = 1; i < n - 1; i++) {
            if ((size_t)i + 1 >= have)
                abort();
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        }
        u = v;
    }
    show(u, n);
}

// CHECK: define internal void @fresh_and_told.stretch(
// CHECK-NOT: noalias
// CHECK-SAME: ptr %frame)
void fresh_and_told(double *u, int n, size_t have, int steps)
{
    for (int t = 0; t < steps; t++) {
        size_t kept = 8;
        if (n > 0)
            kept = (size_t)malloc(n * sizeof *u);
        double *v = (double *)kept;
        show(v, n);
        for (int i = 1; i < n - 1; i++) {
            if ((size_t)i + 1 >= have)
                abort();
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        }
        u = v;
    }
    show(u, n);
}
