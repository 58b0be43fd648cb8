// A first step that sweeps otherwise than all others stands before their loop.
// RUN: %hexcc -O2 -g -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

static void forward(const double *now, double *next, int n)
{
    for (int i = 1; i < n - 1; i++)
        next[i] = now[i] + 0.1 * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
}

static void leapfrog(const double *past, const double *now, double *next, int n)
{
    for (int i = 1; i < n - 1; i++)
        next[i] = 2.0 * now[i] - past[i] + 0.2 * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
}

#define ROTATE() do { double *oldest = past; past = now; now = next; next = oldest; } while (0)

void counted(double *past, double *now, double *next, int n, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        if (t > 0)
            leapfrog(past, now, next, n);
        else
            forward(now, next, n);
        ROTATE();
    }
}

// It begins with whatever the caller says.
void resumed(double *past, double *now, double *next, int n, int from, int to)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = from; t < to; t++) {
        if (t == from)
            forward(now, next, n);
        else
            leapfrog(past, now, next, n);
        ROTATE();
    }
}

void flagged(double *past, double *now, double *next, int n, int steps)
{
    int begun = 0;
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        if (!begun) {
            forward(now, next, n);
            begun = 1;
        } else {
            leapfrog(past, now, next, n);
        }
        ROTATE();
    }
}

// Two steps of their own.
void twice(double *past, double *now, double *next, int n, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        if (t == 0)
            forward(now, next, n);
        else if (t == 1)
            for (int i = 1; i < n - 1; i++)
                next[i] = 1.5 * now[i] - 0.5 * past[i];
        else
            leapfrog(past, now, next, n);
        ROTATE();
    }
}

struct levels {
    double *past, *now, *next;
};

// What either step stores last is stored in that step.
void exchanged(struct levels *l, int n, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        if (t == 0)
            forward(l->now, l->next, n);
        else
            leapfrog(l->past, l->now, l->next, n);
        double *oldest = l->past;
        l->past = l->now;
        l->now = l->next;
        l->next = oldest;
    }
}

// Which step that is nobody knows.
void some(double *past, double *now, double *next, int n, int steps, int which)
{
    // CHECK-NOT: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        if (t == which)
            forward(now, next, n);
        else
            leapfrog(past, now, next, n);
        ROTATE();
    }
}

// The flag comes back.
void again(double *past, double *now, double *next, int n, int steps, const int *restart)
{
    int begun = 0;
    // CHECK-NOT: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        if (!begun) {
            forward(now, next, n);
            begun = 1;
        } else {
            leapfrog(past, now, next, n);
        }
        if (restart[t])
            begun = 0;
        ROTATE();
    }
}
