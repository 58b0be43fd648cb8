// Time and its end lie in memory that sweeps might store to, for all that is known here. The runtime is asked, when the first step
// is pending; steps wait if it says that they lie beside what the sweeps touch.
// RUN: %plain-clang -O2 -fno-math-errno -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s

struct simulation {
    double *u, *v;
    long n;
    double time, end, step, weight;
};

// CHECK-LABEL: define {{.*}}@run(
// CHECK: [[ANSWER:%apart.*]] = alloca i8
// CHECK: store i8 0, ptr [[ANSWER]]
// CHECK: [[SAID:%.*]] = load i8, ptr [[ANSWER]]
// CHECK-NEXT: icmp ne i8 [[SAID]], 1
// CHECK: call void @run.stretch(
// CHECK: [[KNOWN:%.*]] = load i8, ptr [[ANSWER]]
// CHECK-NEXT: icmp ne i8 [[KNOWN]], 2
// CHECK: call i32 @run.stretch.apart(i64 1,
// CHECK: store i8 {{%.*}}, ptr [[ANSWER]]
// CHECK: ret void
void run(struct simulation *s)
{
    while (s->time < s->end) {
        for (long i = 1; i < s->n - 1; i++)
            s->v[i] = 0.5 * s->u[i] + 0.25 * (s->u[i - 1] + s->u[i + 1]);
        double *swap = s->u;
        s->u = s->v;
        s->v = swap;
        s->time += s->step;
    }
}

// What the sweeps read from one place may be what the host writes: of that nobody is asked.
// CHECK-LABEL: define {{.*}}@cooling(
// CHECK-NOT: @cooling.stretch.apart(
// CHECK: ret void
void cooling(struct simulation *s, const double *weight)
{
    while (s->time < s->end) {
        for (long i = 1; i < s->n - 1; i++)
            s->v[i] = *weight * (s->u[i - 1] + s->u[i + 1]);
        double *swap = s->u;
        s->u = s->v;
        s->v = swap;
        s->time += s->step;
    }
}

// Whoever looks at all of it in each step has the sweeps done before, whatever the answer.
// CHECK-LABEL: define {{.*}}@shown(
// CHECK-NOT: @shown.stretch.apart(
// CHECK: ret void
void show(const struct simulation *);
void shown(struct simulation *s)
{
    while (s->time < s->end) {
        for (long i = 1; i < s->n - 1; i++)
            s->v[i] = 0.5 * s->u[i] + 0.25 * (s->u[i - 1] + s->u[i + 1]);
        double *swap = s->u;
        s->u = s->v;
        s->v = swap;
        s->time += s->step;
        show(s);
    }
}

// The question is the stretch as far as its nest.
// CHECK: define internal i32 @run.stretch.apart(
// CHECK-NOT: store double
// CHECK: call i32 @hexrt_apart(
// CHECK-NOT: store double
// CHECK: declare extern_weak i32 @hexrt_apart(ptr, ptr, ptr, i64, i64)
