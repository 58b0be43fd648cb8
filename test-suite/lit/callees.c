// What is called, and stays a call, only looks at what it is handed: spacings that lie in a structure are known behind it.
// RUN: %clang -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
#include <stdio.h>
#include <string.h>

typedef struct {
    int n;
    double h, time;
    double *data;
} Field;

static double seen[16];
static const Field *kept;

static __attribute__((noinline)) void show(const Field *f, int step)
{
    const Field *g = f;
    double sum = 0.0;
    for (int i = 0; i < g->n; i++)
        sum += f->data[i];
    seen[step % 16] = sum;
}

static __attribute__((noinline)) void keep(const Field *f) { kept = f; }

static __attribute__((noinline)) const Field *same(const Field *f) { return f; }

static __attribute__((noinline)) void set(Field *f) { memset((void *)&same(f)->time, 0, sizeof f->time); }

static __attribute__((noinline)) void write(const double *u, int n)
{
    FILE *file = fopen("/dev/null", "w");
    fwrite(u, sizeof *u, (size_t)n, file);
    fclose(file);
}

#define SWEEP                                                                                                          \
    for (int i = 1; i < f.n - 1; i++)                                                                                  \
        v[i] = (f.data[i - 1] + f.data[i + 1]) / f.h

// It looks at the structure.
// CHECK-LABEL: define dso_local void @shown(
// CHECK: fmul double {{.*}}, 4.000000e+00
// CHECK: call void @show(ptr noundef nonnull readonly captures(none)
void shown(double *u, double *v, int n, int steps)
{
    Field f = {n, 0.25, 0.0, u};
    for (int t = 0; t < steps; t++) {
        SWEEP;
        show(&f, t);
    }
}

// It keeps its address: who knows what becomes of it.
// CHECK-LABEL: define dso_local void @shown_to_all(
// CHECK: fdiv double
// CHECK: call void @keep(ptr noundef nonnull %
void shown_to_all(double *u, double *v, int n, int steps)
{
    Field f = {n, 0.25, 0.0, u};
    for (int t = 0; t < steps; t++) {
        SWEEP;
        keep(&f);
        puts("step");
    }
}

// It writes there, through a pointer that it has from elsewhere.
// CHECK-LABEL: define dso_local void @changed(
// CHECK: call void @set(ptr noundef nonnull captures(none)
void changed(double *u, double *v, int n, int steps)
{
    Field f = {n, 0.25, 0.0, u};
    for (int t = 0; t < steps; t++) {
        SWEEP;
        set(&f);
    }
}

// What it writes goes out of the program.
// CHECK-LABEL: define dso_local void @written(
// CHECK: call void @write(ptr noundef readonly captures(none) %{{.*}}) #[[READS:[0-9]+]]
// CHECK: attributes #[[READS]] = {{.*}}memory(read, inaccessiblemem: readwrite, errnomem: readwrite)
void written(double *u, double *v, int n, int steps)
{
    Field f = {n, 0.25, 0.0, u};
    for (int t = 0; t < steps; t++) {
        SWEEP;
        write(v, n);
    }
}
