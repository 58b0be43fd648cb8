// A function that is called once, from its unit only, is looked at in its caller, where it is known what its arguments are.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O2 -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass whole.c 2>&1 | FileCheck whole.c
// RUN: env HEXPASS_REPORT=whole.jsonl %clang -O2 -gline-tables-only -S -emit-llvm -o whole.ll whole.c
// RUN: FileCheck whole.c --check-prefix=REPORT < whole.jsonl
// RUN: FileCheck whole.c --check-prefix=IR < whole.ll
// RUN: %clang -O2 -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass parts.c 2>&1 | FileCheck parts.c
// RUN: %clang -O2 -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass instead.cpp 2>&1 | FileCheck instead.cpp

// The spacings are constants there, and the fields are apart. The loop is told of once, as one of its own function.
//--- whole.c
#include <stdlib.h>
typedef struct {
    int n;
    double dx, dy;
    double *data;
} Field;

static void sweep(Field *now, const Field *before)
{
    double dx2 = before->dx * before->dx, dy2 = before->dy * before->dy;
    int n = now->n;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            int k = i * n + j;
            now->data[k] = before->data[k] + 0.1 * ((before->data[k + n] - before->data[k - n]) / dx2 +
                                                    (before->data[k + 1] - before->data[k - 1]) / dy2);
        }
}

// CHECK-NOT: remark
// CHECK: whole.c:[[#@LINE+6]]:{{[0-9]+}}: remark: time loop tiled with {{.*}} 1 statement, 1 array
// CHECK-NOT: remark
// REPORT: "function":"run"{{.*}}"line":[[#@LINE+4]],
// IR-NOT: fdiv
static void run(Field *now, Field *before, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep(now, before);
        double *data = now->data;
        now->data = before->data;
        before->data = data;
    }
}

double *heat(int n, int steps)
{
    Field now = {n, 1.0, 0.5, calloc((size_t)n * n, 8)}, before = {n, 1.0, 0.5, calloc((size_t)n * n, 8)};
    run(&now, &before, steps);
    free(before.data);
    return now.data;
}

// Several parts of one caller, one of them called by another part: all of them, each once.
//--- parts.c
// CHECK-NOT: remark
// CHECK: parts.c:[[#@LINE+6]]:{{[0-9]+}}: remark: time loop tiled
// CHECK-NOT: remark
// CHECK: parts.c:[[#@LINE+17]]:{{[0-9]+}}: remark: time loop tiled
// CHECK-NOT: remark
static void smooth(float *u, float *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5f * (u[i - 1] + u[i + 1]);
        float *tmp = u;
        u = v;
        v = tmp;
    }
}

static void rounds(float *u, float *v, int n, int steps) { smooth(u, v, n, 2 * steps); }

static void drift(float *u, float *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++)
            v[i] = u[i] - 0.5f * (u[i] - u[i - 1]);
        for (int i = 1; i < n; i++)
            u[i] = v[i];
    }
}

void both(float *u, float *v, int n, int steps)
{
    rounds(u, v, n, steps);
    drift(u, v, n, steps);
}

// Where less can be taken in the caller, each is looked at by itself: there, nobody knows that a vector's memory may go.
//--- instead.cpp
#include <vector>

// CHECK-NOT: sweeps of one time step
// CHECK: remark: time loop tiled with
// CHECK-NOT: sweeps of one time step
static void heat(std::vector<double> &u, std::vector<double> &v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        u = v;
    }
}

double warm(const std::vector<double> &first, int n, int m, int steps)
{
    std::vector<double> u = first, v = first;
    heat(u, v, n, m, steps);
    return u[n / 2 * m + m / 2];
}
