// Elements that each step looks at: the sweeps run ahead all the same; and where they can't.
// RUN: env HEXPASS_REPORT=%t.jsonl %clang -O2 -S -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.jsonl

#include <math.h>
#include <stdio.h>

// Printed before the sweep and behind it, beside a source that follows the time.
void printed(double *u, double *v, long n, int steps, double dt)
{
    double t = 0.0;
    // CHECK: probes.c:[[#@LINE+2]]:{{.*}}, 2 elements looked at in each step [-Rpass=hexpass]
    // REPORT: "elements":2,{{.*}}"line":[[#@LINE+1]],{{.*}}"one_by_one":null
    for (int step = 0; step < steps; step++) {
        printf("%g\n", u[n / 3]);
        for (long i = 1; i < n - 1; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        v[n / 2] += exp(-t * t);
        double *swap = u;
        u = v;
        v = swap;
        printf("%g %g\n", t, u[n / 2]);
        t += dt;
    }
}

// The largest that one point has been, and a loop that is left when it has settled.
int settled(double *u, double *v, long n, int steps, double *most)
{
    double last = 0.0;
    // CHECK: probes.c:[[#@LINE+1]]:{{.*}}, 1 element looked at in each step [-Rpass=hexpass]
    for (int step = 0; step < steps; step++) {
        for (long i = 1; i < n - 1; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        double *swap = u;
        u = v;
        v = swap;
        double here = fabs(u[n / 2]);
        *most = here > *most ? here : *most;
        if (fabs(here - last) < 1e-6)
            return step;
        last = here;
    }
    return steps;
}

// Another one in each step: there may be no more of them than the loop comes to.
void wandering(double *u, double *v, long n, int steps)
{
    // CHECK: probes.c:[[#@LINE+1]]:{{.*}}one step at a time, since each step is looked at
    for (int step = 0; step < steps; step++) {
        for (long i = 1; i < n - 1; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        double *swap = u;
        u = v;
        v = swap;
        printf("%g\n", u[step]);
    }
}
