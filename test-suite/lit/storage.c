// Steps that allocate what they work in, and free it or what the step before allocated, are a nest once that is kept; and
// nobody's memory is kept too long, or used twice.
// RUN: %hexcc -O3 -gline-tables-only -o %t -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: diff %t.off %t.cpu
// RUN: diff %t.off %t.emulated

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sweep(const double *u, double *v, int n)
{
    for (int i = 1; i < n - 1; i++)
        v[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
}

static double *copy(const double *u, int n)
{
    double *v = malloc(sizeof *v * n);
    if (!v)
        exit(1);
    memcpy(v, u, sizeof *v * n);
    return v;
}

// What is there at first is of another size, and is freed as ever.
__attribute__((noinline)) double *renewed(double *u, int n, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        double *v = copy(u, n);
        sweep(u, v, n);
        free(u);
        u = v;
    }
    return u;
}

__attribute__((noinline)) void scratch(double *u, int n, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        double *v = calloc(n, sizeof *v);
        sweep(u, v, n);
        for (int i = 0; i < n; i++)
            u[i] = v[i];
        free(v);
    }
}

// Freed at the beginning of the next step, or behind the loop.
__attribute__((noinline)) double before(double *u, int n, int steps)
{
    double *last = 0, sum = 0;
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        free(last);
        double *v = malloc(sizeof *v * n);
        for (int i = 0; i < n; i++)
            v[i] = u[i];
        sweep(v, u, n);
        last = v;
    }
    if (last)
        sum = last[n / 2];
    free(last);
    return sum;
}

// The sizes differ from step to step.
__attribute__((noinline)) void varied(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        int k = n - t / 7 % 3;
        double *v = malloc(sizeof *v * k);
        for (int i = 0; i < k; i++)
            v[i] = 0.5 * u[i];
        sweep(v, u, k);
        free(v);
    }
}

// Left with a block in hand.
__attribute__((noinline)) double *stopped(double *u, int n, int steps, int stop)
{
    double *v = 0;
    for (int t = 0; t < steps; t++) {
        v = copy(u, n);
        if (t == stop)
            break;
        sweep(u, v, n);
        free(u);
        u = v;
        v = 0;
    }
    free(v);
    return u;
}

// Some of the blocks outlive their steps.
__attribute__((noinline)) double *kept(double *u, int n, int steps)
{
    double *old = 0;
    for (int t = 0; t < steps; t++) {
        double *v = copy(u, n);
        sweep(u, v, n);
        if (t % 5 == 3) {
            free(old);
            old = u;
        } else {
            free(u);
        }
        u = v;
    }
    for (int i = 0; old && i < n; i++)
        u[i] += old[i];
    free(old);
    return u;
}

// Not each step has one.
__attribute__((noinline)) void sometimes(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double *v = t % 4 ? copy(u, n) : 0;
        if (v)
            sweep(v, u, n);
        free(v);
    }
}

// Some are handed on, and nothing is there for the next step.
__attribute__((noinline)) double *handed(double *u, int n, int steps)
{
    double *all[16] = {0}, *last = 0;
    for (int t = 0; t < steps; t++) {
        double *v = copy(u, n);
        sweep(v, u, n);
        free(last);
        last = v;
        if (t % 5 == 4) {
            free(all[t / 5]);
            all[t / 5] = v;
            last = 0;
        }
    }
    free(last);
    for (int k = 0; k < 16; k++) {
        for (int i = 0; all[k] && i < n; i++)
            u[i] += all[k][i];
        free(all[k]);
    }
    return u;
}

static double *fresh(int n)
{
    double *u = malloc(sizeof *u * n);
    for (int i = 0; i < n; i++)
        u[i] = i * 7 % 17;
    return u;
}

static double drop(double *u, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += u[i];
    free(u);
    return sum;
}

int main(void)
{
    const int n = 500;
    for (int steps = 0; steps < 40; steps += steps < 4 ? 1 : 9) {
        double sum = drop(renewed(fresh(2 * n), n, steps), n);
        double *u = fresh(n);
        scratch(u, n, steps);
        sum += 3.0 * drop(u, n);
        u = fresh(n);
        sum += before(u, n, steps);
        sum += 5.0 * drop(u, n);
        u = fresh(n);
        varied(u, n, steps);
        sum += 7.0 * drop(u, n);
        for (int stop = -1; stop < 6; stop++)
            sum += 11.0 * drop(stopped(fresh(n), n, steps, stop), n);
        sum += 13.0 * drop(kept(fresh(n), n, steps), n);
        u = fresh(n);
        sometimes(u, n, steps);
        sum += 17.0 * drop(u, n);
        sum += 19.0 * drop(handed(fresh(n), n, steps), n);
        printf("%d %.17g\n", steps, sum);
    }
    // Nothing of all that is left but what the output and the runtime need.
    double *u = fresh(100000);
    size_t in_use = mallinfo2().uordblks;
    for (int again = 0; again < 5; again++)
        u = renewed(u, 100000, 5);
    printf("%d\n", mallinfo2().uordblks < in_use + 5 * 400000);
    free(u);
    return 0;
}
