// RUN: %clang -O2 -fno-math-errno -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [operation]

#include <math.h>

/* The sine-Gordon equation: a libm function in the body, whose bits are the library's own. */
void sine_gordon(double *old, double *u, int n, int steps, double r2, double dt2)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            old[i] = 2.0 * u[i] - old[i] + r2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - dt2 * sin(u[i]);
        double *tmp = old;
        old = u;
        u = tmp;
    }
}
