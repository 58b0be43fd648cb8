// A point under a condition lies outside of the grid where the condition is false, among other variables of the
// program's, which change while the grid is on a device; and sums that only some points have, in an array of as many
// elements. What is not stored is not written back either: only what changes comes home, and steps that run ahead are refused.
// RUN: %clang -O2 %s -o %t.stock -lm && %t.stock > %t.expected
// RUN: %hexcc -O2 %s -o %t -lm
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu && cmp %t.expected %t.cpu
// RUN: env HEXPASS_DEVICE=emulated HEXPASS_INFO=1 %t > %t.emulated 2> %t.info && cmp %t.expected %t.emulated
// RUN: FileCheck %s < %t.info
// CHECK-DAG: wave: emulated (emulated grid)
// CHECK-DAG: array wall is written under a condition only, also where nothing says that it has elements
#include <math.h>
#include <stdio.h>

__attribute__((section(".grid"))) double clocks[2] = {0}, B[400] = {0}, wall[6] = {0}, total[2] = {0};
double A[400], U[64], V[64];
unsigned char mask[64];

__attribute__((noinline)) static void wave(int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            A[i] = 0.25 * (B[i - 1] + B[i + 1]);
        if (n > 4)
            B[n - 5] += exp(-0.1 * t);
        for (int i = 1; i < n - 1; i++)
            B[i] = A[i];
        clocks[1] += 0.5;
        if (t % 3 == 2)
            printf("%d: %g %g\n", t, B[n / 2], clocks[1]);
    }
}

__attribute__((noinline)) static int heat(int n, int steps, double tolerance)
{
    for (int t = 0; t < steps; t++) {
        double change = 0;
        for (int i = 1; i < n - 1; i++) {
            V[i] = 0.5 * (U[i - 1] + U[i + 1]);
            change = fmax(change, fabs(V[i] - U[i]));
        }
        for (int i = 1; i < n - 1; i++)
            if (mask[i])
                wall[i] += V[i];
        for (int i = 1; i < n - 1; i++)
            U[i] = V[i];
        total[0] += 0.5;
        if (change < tolerance)
            return t;
    }
    return steps;
}

int main(void)
{
    for (int n = 4; n < 40; n += 9) {
        for (int i = 0; i < 400; i++)
            B[i] = i;
        wave(n, 10);
        printf("%g\n", clocks[1]);
    }
    for (double tolerance = 0.5; tolerance > 0.001; tolerance *= 0.7) {
        total[0] = 0;
        for (int i = 0; i < 64; i++) {
            U[i] = i * i % 7;
            mask[i] = i < 6 && i % 2;
            V[i] = 0;
        }
        printf("%d", heat(20, 100, tolerance));
        for (int i = 0; i < 6; i++)
            printf(" %g", wall[i]);
        printf(" %g\n", total[0]);
    }
    return 0;
}
