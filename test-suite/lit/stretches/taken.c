// Side code does not keep a time loop from being tiled: its sweeps wait until somebody may look.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %plain-clang -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s --check-prefix=IR
// CHECK-NOT: not taken

int printf(const char *, ...);
double wall(void);
void show(const float *u, int n);

#define SWEEP                                                                                                          \
    for (int i = 1; i < n - 1; i++)                                                                                    \
        v[i] = u[i] + c * (u[i - 1] - 2.0f * u[i] + u[i + 1]);

#define SWAP                                                                                                           \
    float *tmp = u;                                                                                                    \
    u = v;                                                                                                             \
    v = tmp;

// Output that can't see the grid needs no flush: one call, behind the loop, and one for full queues.
// CHECK: taken.c:[[#@LINE+8]]:{{[0-9]+}}: remark: time loop tiled
// IR-LABEL: define {{.*}}@progress(
// IR: call void @progress.stretch(
// IR: call void @progress.stretch(
// IR-NOT: call void @progress.stretch(
// IR: ret void
void progress(float *u, float *v, int n, float c, double end, double dt)
{
    for (double time = 0.0; time < end; time += dt) {
        SWEEP
        SWAP
        printf("%g\n", time);
    }
}

// A function that may look gets to see all.
// CHECK: taken.c:[[#@LINE+8]]:{{[0-9]+}}: remark: time loop tiled
// IR-LABEL: define {{.*}}@output(
// IR: call void @output.stretch(
// IR: call void @output.stretch(
// IR: call void @show(
// IR: call void @output.stretch(
void output(float *u, float *v, int n, float c, int steps)
{
    for (int t = 0; t < steps; t++) {
        SWEEP
        SWAP
        if (t % 100 == 0)
            show(u, n);
    }
}

// Ways out that don't depend on the grid, and several of them.
// CHECK: taken.c:[[#@LINE+4]]:{{[0-9]+}}: remark: time loop tiled
int hurried(float *u, float *v, int n, float c, int steps, double budget)
{
    double start = wall();
    for (int t = 0; t < steps; t++) {
        SWEEP
        SWAP
        if (t % 10 == 0 && wall() - start > budget)
            return t;
        if (t > 5000)
            break;
    }
    return steps;
}

// Until the largest change of a step is small: the sweeps run ahead, and what is ahead is taken back behind the loop.
// CHECK: taken.c:[[#@LINE+8]]:{{[0-9]+}}: remark: time loop tiled
// IR-LABEL: define {{.*}}@converge(
// IR: call void @converge.stretch.ahead(
// IR: call void @hexrt_settle(
// IR: ret i32
int converge(float *u, float *v, int n, float c, float tolerance)
{
    int t = 0;
    for (float change = 1e30f; change > tolerance; t++) {
        change = 0.0f;
        for (int i = 1; i < n - 1; i++) {
            v[i] = u[i] + c * (u[i - 1] - 2.0f * u[i] + u[i + 1]);
            float d = v[i] > u[i] ? v[i] - u[i] : u[i] - v[i];
            if (d > change)
                change = d;
        }
        SWAP
    }
    return t;
}

// Until a sum is small, or a root of it: bounds of the sum decide, and the step is taken back where they don't, or where
// the sum itself is wanted.
// CHECK: taken.c:[[#@LINE+9]]:{{[0-9]+}}: remark: time loop tiled
// IR-LABEL: define {{.*}}@settle_down(
// IR: call void @settle_down.stretch.ahead(
// IR: call void @hexrt_settle(
// IR: call void @settle_down.stretch(i64 1,
// IR: ret double
double settle_down(double *u, double *v, int n, double tolerance)
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
    } while (__builtin_sqrt(change) > tolerance);
    return change;
}

// A sum that only the caller and every tenth step look at: the last step alone is executed as it was written.
// CHECK: taken.c:[[#@LINE+9]]:{{[0-9]+}}: remark: time loop tiled
// IR-LABEL: define {{.*}}@last_change(
// IR: call void @last_change.stretch.lean(
// IR: call void @last_change.stretch(i64 1,
// IR: call {{.*}}@printf(
// IR: ret float
float last_change(float *u, float *v, int n, float c, int steps)
{
    float change = 0.0f;
    for (int t = 0; t < steps; t++) {
        change = 0.0f;
        for (int i = 1; i < n - 1; i++) {
            v[i] = u[i] + c * (u[i - 1] - 2.0f * u[i] + u[i + 1]);
            change += v[i] - u[i];
        }
        SWAP
        if (t % 10 == 0)
            printf("%g\n", change / n);
    }
    return change;
}
