// Time loops that are taken, but come to one step at a time: the remark says why, and what is to blame.
// RUN: env HEXPASS_REPORT=%t.jsonl %clang -O2 -S -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.jsonl
// RUN: %hexcc --explain -O2 %s | FileCheck %s --check-prefix=EXPLAIN

#include <math.h>

void look(double *, long);

// Somebody looks in each step.
void looked(double *u, double *v, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            // CHECK: one-by-one.c:[[#@LINE-2]]:{{.*}}one step at a time, since each step is looked at: code beside the sweeps may read or write their arrays (line [[#@LINE+6]])
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        double *swap = u;
        u = v;
        v = swap;
        // REPORT: "one_by_one":{"culprit":[[#@LINE+1]],"message":"each step is looked at: code beside the sweeps may read or write their arrays"}
        look(u, n);
        // EXPLAIN: tiled: {{.*}}one step at a time, since each step is looked at
    }
}

// A step of some steps only.
void seldom(double *u, double *v, long n, int steps)
{
    // CHECK-NOT: one-by-one.c:[[#@LINE+1]]:{{.*}}one step at a time
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        double *swap = u;
        u = v;
        v = swap;
        if (t % 100 == 0)
            look(u, n);
    }
}

// An element for each step: there may be no more of them than the loop comes to.
int driven(double *u, double *v, const double *source, long n, int steps, double tolerance)
{
    // CHECK: one-by-one.c:[[#@LINE+1]]:{{.*}}one step at a time, since what the sweeps touch moves on with the steps
    for (int t = 0; t < steps; t++) {
        double change = 0.0;
        for (long i = 1; i < n - 1; i++) {
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]) + source[t];
            change = fmax(change, fabs(v[i] - u[i]));
        }
        double *swap = u;
        u = v;
        v = swap;
        if (change < tolerance)
            return t;
    }
    return steps;
}

// What a step computes with decides on the next.
int damped(double *u, double *v, long n, int steps, double tolerance)
{
    double weight = 0.25;
    // CHECK: one-by-one.c:[[#@LINE+1]]:{{.*}}one step at a time, since each step's sweeps need a value that the step computes before them
    for (int t = 0; t < steps; t++) {
        double change = 0.0;
        for (long i = 1; i < n - 1; i++) {
            v[i] = u[i] + weight * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
            change = fmax(change, fabs(v[i] - u[i]));
        }
        double *swap = u;
        u = v;
        v = swap;
        weight = weight / (1.0 + change);
        if (change < tolerance)
            return t;
    }
    return steps;
}

// Pointers in memory change places before a sweep: where the loop is when it finds what the sweep has left, they have.
int before(double **u, double **v, long n, int steps, double tolerance)
{
    // CHECK: one-by-one.c:[[#@LINE+1]]:{{.*}}one step at a time, since pointers or sizes change in memory in each step, in a way that is not followed
    for (int t = 0; t < steps; t++) {
        double change = 0.0;
        double *swap = *u;
        *u = *v;
        *v = swap;
        for (long i = 1; i < n - 1; i++) {
            (*v)[i] = 0.5 * (*u)[i] + 0.25 * ((*u)[i - 1] + (*u)[i + 1]);
            change = fmax(change, fabs((*v)[i] - (*u)[i]));
        }
        if (change < tolerance)
            return t;
    }
    return steps;
}
