// Some steps are looked at between two sweeps, or before pointers in memory change places: steps begin there.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

void show(const double *u, int n);

typedef struct {
    int n;
    double *data;
} Field;

// CHECK: looked-between.c:[[#@LINE+3]]:{{[0-9]+}}: remark: time loop tiled
void copied(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        if (t % 10 == 0)
            show(v, n);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}

// CHECK: looked-between.c:[[#@LINE+3]]:{{[0-9]+}}: remark: time loop tiled
void swapped(Field *now, Field *before, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < now->n - 1; i++)
            now->data[i] = 0.5 * (before->data[i - 1] + before->data[i + 1]);
        if (t % 10 == 0)
            show(now->data, now->n);
        double *data = now->data;
        now->data = before->data;
        before->data = data;
    }
}

// Each step is looked at: nothing would be won.
// CHECK: looked-between.c:[[#@LINE+3]]:{{[0-9]+}}: remark: sweeps of one time step tiled
void always(Field *now, Field *before, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < now->n - 1; i++)
            now->data[i] = 0.5 * (before->data[i - 1] + before->data[i + 1]);
        show(now->data, now->n);
        double *data = now->data;
        now->data = before->data;
        before->data = data;
    }
}
