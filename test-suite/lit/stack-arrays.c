// Steps that make what they work in on the stack are a nest once that is kept, in the heap; where there is no such memory, the
// loop runs as it was, and nobody's sizes, restored stack or memory are lost.
// RUN: %hexcc -O3 -gline-tables-only -o %t -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: env HEXPASS=off %hexcc -O1 -o %t.plain %s
// RUN: %t.plain > %t.stock
// RUN: diff %t.stock %t.off
// RUN: diff %t.stock %t.cpu
// RUN: diff %t.stock %t.emulated

#include <alloca.h>
#include <malloc.h>
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

// There is no memory of this size, or a bit less.
static size_t refused;

void *__libc_malloc(size_t);

void *malloc(size_t size)
{
    return size <= refused && size + 16 > refused ? 0 : __libc_malloc(size);
}

__attribute__((noinline)) void body(double *u, int n, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        double v[n];
        sweep(u, v, n);
        back(u, v, n);
    }
}

static void stage(double *u, int n)
{
    double *v = alloca(sizeof *v * n);
    sweep(u, v, n);
    back(u, v, n);
}

__attribute__((noinline)) void stages(double *u, int n, int steps)
{
    int t = 0;
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    do {
        stage(u, n);
        stage(u, n - 1);
        t++;
    } while (t < steps);
}

struct grid {
    int n;
    double *u;
};

// Where there is no first step, nobody looks at the size.
__attribute__((noinline)) void handed(const struct grid *g, double *u, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        double v[g->n];
        sweep(u, v, g->n);
        back(u, v, g->n);
    }
}

// The sizes differ from step to step, or may.
__attribute__((noinline)) void varied(double *u, int n, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: {{.*}}each step makes arrays on the stack that can't be kept for the next one: a size may change
    for (int t = 0; t < steps; t++) {
        double v[n - t % 3];
        sweep(u, v, n - t % 3);
        back(u, v, n - t % 3);
    }
}

__attribute__((noinline)) void shrinks(struct grid *g, double *u, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: {{.*}}each step makes arrays on the stack that can't be kept for the next one: a size may change
    for (int t = 0; t < steps; t++) {
        double v[g->n];
        sweep(u, v, g->n);
        back(u, v, g->n);
        if (t == 5)
            g->n -= 7;
    }
}

// An array outlives its step.
__attribute__((noinline)) void outlives(double *u, int n, int steps)
{
    double *last = u;
    for (int t = 0; t < steps; t++) {
        double *v = alloca(sizeof *v * n);
        memcpy(v, u, sizeof *v * n);
        sweep(last, v, n);
        back(u, v, n);
        last = v;
    }
    u[0] += last[n / 2];
}

// Left from the middle, with an array in hand.
__attribute__((noinline)) int stopped(double *u, int n, int steps, int stop)
{
    // CHECK: [[@LINE+1]]:5: remark: {{.*}} tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++) {
        double v[n];
        sweep(u, v, n);
        if (t == stop)
            return t;
        back(u, v, n);
    }
    return -1;
}

// What is left of the stack is the same, however often the loop runs.
__attribute__((noinline)) void again(double *u, int n, int steps)
{
    for (int round = 0; round < 40; round++) {
        // CHECK: [[@LINE+1]]:9: remark: time loop tiled {{.*}}: 1-D
        for (int t = 0; t < steps; t++) {
            double v[n];
            sweep(u, v, n);
            back(u, v, n);
        }
        u[0] += round;
    }
}

// A step makes another array for each of its rows.
__attribute__((noinline)) void rows(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int r = 0; r + 50 < n; r += 50) {
            double v[50];
            double w[r + 2];
            sweep(u + r, v, 50);
            w[r] = v[25];
            back(u + r, v, 50);
            u[r] = w[r];
        }
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
        sum += u[i] * (i % 5);
    free(u);
    return sum;
}

static double all(int n, int steps)
{
    double sum = 0;
    struct grid g = {n, 0};
    double *u = fresh(n);
    for (int none = 0; none < 2; none++) {
        refused = none ? sizeof *u * n : 0;
        body(u, n, steps);
        stages(u, n, steps);
        handed(&g, u, steps);
        varied(u, n, steps);
        shrinks(&g, u, steps);
        g.n = n;
        outlives(u, n, steps);
        for (int stop = -1; stop < 4; stop++)
            sum += stopped(u, n, steps, stop);
        again(u, n, steps);
        rows(u, n, steps);
    }
    refused = 0;
    return sum + drop(u, n);
}

int main(void)
{
    // No step, no array.
    body(0, -5, 0);
    body(0, -2000000000, -1);
    handed(0, 0, 0);
    for (int steps = 0; steps < 40; steps += steps < 4 ? 1 : 9)
        printf("%d %.17g\n", steps, all(500, steps));
    // Nothing of all that is left but what the output and the runtime need.
    double *u = fresh(40000);
    size_t in_use = mallinfo2().uordblks;
    for (int round = 0; round < 50; round++)
        body(u, 40000, 5);
    printf("%d\n", mallinfo2().uordblks < in_use + 20 * sizeof *u * 40000);
    free(u);
    return 0;
}
