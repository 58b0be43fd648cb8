// Sums that each step needs are added up in the loop's order, from terms that the sweeps leave.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %clang -O2 -mfma -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %plain-clang -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s --check-prefix=IR
// CHECK-NOT: not taken

#include <math.h>
#include <stdio.h>

#define SWAP                                                                                                           \
    double *tmp = u;                                                                                                   \
    u = v;                                                                                                             \
    v = tmp;

// Printed.
// CHECK: sums.c:[[#@LINE+9]]:{{[0-9]+}}: remark: time loop tiled{{.*}}, 1 sum added up in the loop's order
// IR-LABEL: define {{.*}}@converge(
// IR: call void @converge.stretch.ahead(i64 16,
// IR-NOT: call void @converge.stretch(
// IR: call {{.*}}@printf(
// IR: ret double
double converge(double *u, double *v, int n, double tolerance)
{
    double change;
    do {
        change = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            change += (v[i] - u[i]) * (v[i] - u[i]);
        }
        SWAP
        printf("%g\n", change);
    } while (change > tolerance);
    return change;
}

// Compared with that of the first step.
// CHECK: sums.c:[[#@LINE+4]]:{{[0-9]+}}: remark: time loop tiled{{.*}}, 1 sum added up in the loop's order
double relative(double *u, double *v, int n, int steps)
{
    double first = 0.0, now = 0.0;
    for (int t = 0; t < steps; t++) {
        double sum = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            sum += fabs(v[i] - u[i]);
        }
        SWAP
        now = sum;
        if (t == 0)
            first = sum;
        if (now / first < 1e-3)
            break;
    }
    return now;
}

// By a distance from something, and for equality: of what bounds say nothing.
// CHECK: sums.c:[[#@LINE+4]]:{{[0-9]+}}: remark: time loop tiled{{.*}}, 1 sum added up in the loop's order
int near(double *u, double *v, int n, double mean)
{
    int t = 0;
    for (double sum = 0.0; fabs(sum - mean) > 0.1 && sum != 7.0; t++) {
        sum = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            sum += v[i];
        }
        SWAP
    }
    return t;
}

// One that goes on through all steps: one step at a time.
// CHECK: sums.c:[[#@LINE+7]]:{{[0-9]+}}: remark: time loop tiled{{.*}}, 1 sum added up in the loop's order
// IR-LABEL: define {{.*}}@total(
// IR: call void @total.stretch.ahead(i64 1,
// IR: ret double
double total(double *u, double *v, int n, int steps)
{
    double sum = 0.0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            sum += v[i];
        }
        SWAP
    }
    return sum;
}

// What the step computes with it connects two sweeps: neither waits.
// CHECK: sums.c:[[#@LINE+7]]:{{[0-9]+}}: remark: sweeps of one time step tiled{{.*}}, 1 sum added up in the loop's order
// IR-LABEL: define {{.*}}@normalise(
// IR: call void @normalise.stretch.ahead(i64 1,
// IR: call {{.*}}@normalise.stretch
// IR: ret void
void normalise(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double sum = 1.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            sum += v[i] * v[i];
        }
        double scale = 1.0 / sum;
        for (int i = 1; i < n - 1; i++)
            u[i] = scale * v[i];
    }
}

// A time step from the largest speed, which is found by a nest of its own.
// CHECK: sums.c:[[#@LINE+10]]:{{[0-9]+}}: remark: sweeps of one time step tiled
// CHECK: sums.c:[[#@LINE+9]]:{{[0-9]+}}: remark: {{sweeps of one time step|time loop}} tiled
// IR-LABEL: define {{.*}}@courant(
// IR: call void @courant.stretch.ahead(i64 1,
// IR: call {{.*}}@courant.stretch
// IR: call void @hexrt_settle(
// IR: ret double
double courant(double *u, double *v, int n, int steps)
{
    double time = 0.0;
    for (int t = 0; t < steps; t++) {
        double speed = 1e-9;
        for (int i = 0; i < n; i++)
            speed = fmax(speed, fabs(u[i]));
        double dt = 0.5 / speed;
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] - dt * u[i] * (u[i] - u[i - 1]);
        SWAP
        time += dt;
    }
    return time;
}
