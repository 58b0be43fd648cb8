// What is loaded from a place that a condition chooses is loaded on either side of it: against the wind, from one of two
// arrays, at an offset that is a sign. What isn't chosen is never looked at: it may not be there.
// RUN: %hexcc -O2 -gline-tables-only -Rpass=hexpass -Rpass-missed=hexpass -o %t %s -lm 2>&1 | FileCheck %s
// RUN: HEXPASS=off %hexcc -O2 -o %t.off %s -lm
// RUN: env HEXPASS=off %t.off > %t.expected
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: diff %t.expected %t.cpu
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: diff %t.expected %t.emulated
#include <stdio.h>
#include <stdlib.h>

enum { N = 37, M = 41, STEPS = 9 };

// CHECK: chosen.c:[[#@LINE+3]]:5: remark: time loop tiled
__attribute__((noinline)) void one_of_two(double *u, double *v, const double *a, const double *b, const double *wind)
{
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++) {
                double x = wind[j] > 0 ? a[i * M + j] : b[i * M + j - 1];
                v[i * M + j] = 0.5 * u[i * M + j] + 0.25 * x;
            }
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

// CHECK: chosen.c:[[#@LINE+3]]:5: remark: time loop tiled
__attribute__((noinline)) void by_row(double *u, double *v, const double *a, const double *b)
{
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++)
                v[i * M + j] = 0.5 * u[i * M + j] + 0.25 * (i > N / 2 ? a[j] : b[j]) * u[i * M + j - (a[j] > 0.6)];
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

// What lies between the choice and the load is stored first.
// CHECK: chosen.c:[[#@LINE+3]]:5: remark:
__attribute__((noinline)) void stored_between(double *u, double *v, double *a)
{
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++) {
                const double *from = u[i * M + j] > 0.3 ? &a[i * M + j] : u[i * M + j] > 0.2 ? &u[i * M + j - 1] : &u[i * M + j + 1];
                a[i * M + j] = 0.9 * a[i * M + j] + 0.01 * t;
                v[i * M + j] = 0.5 * u[i * M + j] + 0.25 * *from;
            }
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

// A place beyond the array that is never chosen.
// CHECK: chosen.c:[[#@LINE+3]]:5: remark: time loop tiled
__attribute__((noinline)) void far(double *u, double *v, const double *wind, long away)
{
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++)
                v[i * M + j] = 0.5 * u[i * M + j] + 0.25 * (wind[j] > -1 ? u : wind + away)[i * M + j];
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

static double *array(int seed)
{
    double *all = malloc(N * M * sizeof *all);
    for (int k = 0; k < N * M; k++)
        all[k] = (seed * 7919 + k * 104729) % 1009 / 1009.0;
    return all;
}

static void show(const double *u)
{
    for (int k = 0; k < N * M; k++)
        printf("%a\n", u[k]);
}

int main(void)
{
    double *u = array(1), *v = array(2), *a = array(3), *b = array(4), *wind = array(5);
    one_of_two(u, v, a, b, wind);
    by_row(u, v, a, b);
    stored_between(u, v, a);
    for (int k = 0; k < N * M; k++)
        wind[k] -= k % 3 ? 0.5 : 0;
    one_of_two(u, v, a, b, wind);
    far(u, v, wind, 1L << 40);
    for (int k = 0; k < N * M; k++)
        wind[k] = 1;
    one_of_two(u, v, a, NULL, wind);
    show(u);
    show(v);
    show(a);
}
