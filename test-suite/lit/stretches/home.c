// Arrays stay on a device between stretches: they come home before who may look, as far as is known what he looks at, and
// where the loop is left.
// RUN: %plain-clang -O2 -fno-math-errno -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s

typedef struct file file;
int printf(const char *, ...);
unsigned long fwrite(const void *, unsigned long, unsigned long, file *);
void show(const float *u, int n);
void stoke(int t);

#define SWEEP                                                                                                          \
    for (int i = 1; i < n - 1; i++)                                                                                    \
        v[i] = u[i] + c * (u[i - 1] - 2.0f * u[i] + u[i + 1]);

#define SWAP                                                                                                           \
    float *tmp = u;                                                                                                    \
    u = v;                                                                                                             \
    v = tmp;

// Whoever is not known may write as well.
// CHECK-LABEL: define {{.*}}@output(
// CHECK: [[FRAME:%frame.*]] = alloca ptr, align 8{{$}}
// CHECK-NEXT: store ptr null, ptr [[FRAME]]
// CHECK: call void @output.stretch({{.*}}, ptr [[FRAME]])
// CHECK: [[STATE:%.*]] = load ptr, ptr [[FRAME]]
// CHECK-NEXT: icmp ne ptr [[STATE]], null
// CHECK: call void @hexrt_home(ptr [[FRAME]], i32 1)
// CHECK: call void @show(
// CHECK: call void @hexrt_home(ptr [[FRAME]], i32 2)
// CHECK: ret void
void output(float *u, float *v, int n, float c, int steps)
{
    for (int t = 0; t < steps; t++) {
        SWEEP
        SWAP
        if (t % 100 == 0)
            show(u, n);
    }
}

// An element, what fwrite is told, and a loop over some of them.
// CHECK-LABEL: define {{.*}}@watch(
// CHECK-NOT: call void @hexrt_home({{.*}}, i32 {{[01]}})
// CHECK: call void @hexrt_look(ptr {{.*}}, i32 0, ptr {{.*}}, i64 4)
// CHECK-NOT: call void @hexrt_home({{.*}}, i32 {{[01]}})
// CHECK: call void @hexrt_look(ptr {{.*}}, i32 0, ptr {{.*}}, i64 {{%.*}})
// CHECK: call {{.*}}@fwrite(
// CHECK-NOT: call void @hexrt_home({{.*}}, i32 {{[01]}})
// CHECK: call void @hexrt_look(ptr {{.*}}, i32 1, ptr {{.*}}, i64 4)
// CHECK: call void @hexrt_home(ptr {{.*}}, i32 2)
// CHECK: ret float
float watch(float *u, float *v, int n, float c, int steps, file *to)
{
    float last = 0.0f;
    for (int t = 0; t < steps; t++) {
        SWEEP
        SWAP
        if (t % 10 == 1)
            last += u[n / 2];
        if (t % 10 == 2)
            fwrite(u, sizeof *u, n, to);
        if (t % 10 == 3)
            u[n / 3] = 1.0f;
    }
    return last;
}

// Nobody else knows the grids: they stay where they are.
// CHECK-LABEL: define {{.*}}@own(
// CHECK-NOT: call void @hexrt_home({{.*}}, i32 {{[01]}})
// CHECK: call void @stoke(
// CHECK: call void @hexrt_home(ptr {{.*}}, i32 2)
// CHECK: ret float
float own(int n, float c, int steps)
{
    float first[4096], second[4096];
    for (int i = 0; i < n; i++)
        first[i] = second[i] = (float)i * c;
    float *u = first, *v = second;
    for (int t = 0; t < steps; t++) {
        SWEEP
        SWAP
        if (t % 10 == 0)
            stoke(t);
    }
    return u[n / 2];
}

// What else is known can be reached: a global array, no more.
// CHECK-LABEL: define {{.*}}@fed(
// CHECK-NOT: call void @hexrt_home({{.*}}, i32 {{[01]}})
// CHECK: call void @hexrt_look(ptr {{.*}}, i32 1, ptr @source, i64 16384)
// CHECK: call void @stoke(
// CHECK: ret float
float source[4096];
float fed(int n, float c, int steps)
{
    float first[4096], second[4096];
    for (int i = 0; i < n; i++)
        first[i] = second[i] = (float)i * c;
    float *u = first, *v = second;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] + c * (u[i - 1] - 2.0f * u[i] + u[i + 1]) + source[i];
        SWAP
        if (t % 10 == 0)
            stoke(t);
    }
    return u[n / 2];
}

// Its address is only compared: what is known of the object stays known.
// CHECK: declare extern_weak void @hexrt_look(ptr, i32, ptr captures(none), i64)
