// A sweep that is called by address: inlining tells the optimiser whose it is, and the loop is looked at again then.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s

typedef void sweep(double *, double *, int);

static void smooth(double *to, double *from, int n)
{
    for (int i = 1; i < n - 1; i++)
        to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

static void repeat(sweep *once, double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        once(v, u, n);
        double *swap = u;
        u = v;
        v = swap;
    }
}

// CHECK: remark: time loop tiled
void run(double *u, double *v, int n, int steps) { repeat(smooth, u, v, n, steps); }
