// What each step has from the heap and gives back is kept for the whole loop, also where the loop calls something; blocks that
// are given back in another way, or not always, are as they were.
// RUN: %hexcc -O3 -gline-tables-only -o %t -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: env HEXPASS=off %hexcc -O1 -o %t.plain %s
// RUN: %t.plain > %t.stock
// RUN: diff %t.stock %t.off
// RUN: diff %t.stock %t.cpu

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sweep(const double *u, double *v, int n)
{
    for (int i = 1; i < n - 1; i++)
        v[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
}

static void back(double *u, const double *v, int n)
{
    for (int i = 1; i < n - 1; i++)
        u[i] = v[i];
}

static double seen;
__attribute__((noinline)) void look(const double *u, int n) { seen += u[n / 2] + u[1]; }

__attribute__((noinline)) void told(double *u, int n, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        double *v = malloc(sizeof *v * n);
        if (!v)
            exit(1);
        sweep(u, v, n);
        back(u, v, n);
        free(v);
        if (t % 9 == 4)
            look(u, n);
    }
}

// One of the ways out has the block still in hand.
__attribute__((noinline)) void left(double *u, int n, int steps, int stop)
{
    double *v = 0;
    for (int t = 0; t < steps; t++) {
        v = malloc(sizeof *v * n);
        sweep(u, v, n);
        back(u, v, n);
        if (t == stop)
            break;
        free(v);
        v = 0;
        if (t % 9 == 4)
            look(u, n);
    }
    free(v);
}

// Sometimes the block is another one.
__attribute__((noinline)) void grown(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double *v = malloc(sizeof *v * n);
        if (t % 3 == 1)
            v = realloc(v, sizeof *v * (n + t));
        sweep(u, v, n);
        back(u, v, n);
        if (t % 9 == 4)
            look(u, n);
        free(v);
    }
}

// Somebody else gives it back.
__attribute__((noinline)) void gives(double *v) { free(v); }

__attribute__((noinline)) void elsewhere(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double *v = malloc(sizeof *v * n);
        sweep(u, v, n);
        back(u, v, n);
        if (t % 9 == 4)
            gives(v);
        else
            free(v);
    }
}

static double *last;

// Every few steps one is kept, and looked at later.
__attribute__((noinline)) void remembered(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double *v = malloc(sizeof *v * n);
        memcpy(v, u, sizeof *v * n);
        sweep(u, v, n);
        back(u, v, n);
        if (t % 9 == 4) {
            free(last);
            last = v;
        } else
            free(v);
        if (last)
            u[0] += last[n / 2] * 1e-3;
    }
}

int main(void)
{
    enum { n = 500 };
    double u[n];
    for (int steps = 0; steps < 50; steps += steps < 4 ? 1 : 11) {
        for (int i = 0; i < n; i++)
            u[i] = i * 7 % 17;
        told(u, n, steps);
        for (int stop = -1; stop < 3; stop++)
            left(u, n, steps, stop);
        grown(u, n, steps);
        elsewhere(u, n, steps);
        remembered(u, n, steps);
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += u[i] * (i % 5);
        printf("%d %.17g %.17g\n", steps, sum, seen);
    }
    free(last);
    return 0;
}
