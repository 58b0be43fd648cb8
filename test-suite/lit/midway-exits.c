// Loops that are left between two sweeps of a step are nests whose steps begin there; what comes before the first one and behind
// the last one is done as it was written, however few steps there are, and wherever the loop is left.
// RUN: %hexcc -O3 -gline-tables-only -o %t -Rpass=hexpass -Rpass-missed=hexpass %s -lm 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: env HEXPASS=off %hexcc -O1 -o %t.plain %s -lm
// RUN: %t.plain > %t.stock
// RUN: diff %t.stock %t.off
// RUN: diff %t.stock %t.cpu
// RUN: diff %t.stock %t.emulated

#include <math.h>
#include <stdio.h>

#define N 400

static double u[N], v[N];

static void sweep(void)
{
    for (int i = 1; i < N - 1; i++)
        v[i] = 0.5 * (u[i - 1] + u[i + 1]);
}

static void back(void)
{
    for (int i = 1; i < N - 1; i++)
        u[i] = v[i];
}

static double change(void)
{
    double most = 0.0;
    for (int i = 1; i < N - 1; i++)
        most = fmax(most, fabs(v[i] - u[i]));
    return most;
}

static double sum(void)
{
    double all = 0.0;
    for (int i = 1; i < N - 1; i++)
        all += (v[i] - u[i]) * (v[i] - u[i]);
    return all;
}

__attribute__((noinline)) int looked_at(int steps, double tolerance)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        sweep();
        double most = change();
        if (most < tolerance) {
            printf("%.17g\n", most);
            return t;
        }
        back();
        u[0] = u[1];
    }
    return -1;
}

__attribute__((noinline)) int either(int steps, double tolerance)
{
    int t = 0;
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    do {
        sweep();
        double norm = sum(), most = change();
        if (sqrt(norm) < tolerance && most < 2.0 * tolerance)
            break;
        back();
        t++;
    } while (t < steps);
    return t;
}

__attribute__((noinline)) int forever(int steps, double tolerance)
{
    int t = 0;
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (;;) {
        sweep();
        double most = change();
        if (most < tolerance || t >= steps)
            break;
        back();
        t += 2;
    }
    return t;
}

__attribute__((noinline)) int counted(int steps, int stop)
{
    int t;
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (t = steps; t > 0; t--) {
        sweep();
        if (t == stop)
            break;
        back();
    }
    return t;
}

// What is asked is not always computed.
__attribute__((noinline)) int rarely(int steps, double tolerance)
{
    int t;
    // CHECK: [[@LINE+1]]:5: remark: {{.*}}the time loop is left between two sweeps of one step
    for (t = 0; t < steps; t++) {
        sweep();
        if (t % 4 == 1 && change() < tolerance)
            break;
        back();
    }
    return t;
}

// In two places, which no turn brings together.
__attribute__((noinline)) int twice(int steps, double tolerance)
{
    int t;
    // CHECK: [[@LINE+1]]:5: remark: {{.*}}the time loop is left between two sweeps of one step
    for (t = 0; t < steps; t++) {
        sweep();
        if (change() < tolerance)
            break;
        back();
        if (t == 30)
            break;
        for (int i = 1; i < N - 1; i++)
            v[i] += 0.25 * u[i];
    }
    return t;
}

// How many steps there are may change in the middle of one.
__attribute__((noinline)) int told(const int *steps, int *left, double tolerance)
{
    int t;
    for (t = 0; t < *steps; t++) {
        sweep();
        if (change() < tolerance)
            break;
        --*left;
        back();
    }
    return t;
}

static void start(void)
{
    for (int i = 0; i < N; i++)
        u[i] = i * 7 % 17, v[i] = 0.0;
}

static void tell(int steps, int last)
{
    double all = 0.0;
    for (int i = 0; i < N; i++)
        all += u[i] * (i % 5) + v[i] * (i % 3);
    printf("%d %d %.17g\n", steps, last, all);
}

int main(void)
{
    for (int steps = -1; steps < 70; steps += steps < 3 ? 1 : 22)
        for (double tolerance = 1e-3; tolerance < 1e5; tolerance *= 20.0) {
            start();
            tell(steps, looked_at(steps, tolerance));
            start();
            tell(steps, either(steps, tolerance));
            start();
            tell(steps, forever(steps, tolerance));
            start();
            tell(steps, counted(steps, 5));
            start();
            tell(steps, rarely(steps, tolerance));
            start();
            tell(steps, twice(steps, tolerance));
            start();
            int left = steps;
            tell(steps, told(&left, &left, tolerance));
        }
    return 0;
}
