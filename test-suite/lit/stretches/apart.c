// Side code between the sweeps of one step: those that stand together are one step of a nest, where they stood.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %plain-clang -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s --check-prefix=IR

void show(const double *u, int n);
int better(int step);

// Between two sweeps of a step.
// CHECK: apart.c:[[#@LINE+8]]:{{[0-9]+}}: remark: sweeps of one time step tiled{{.*}}; the whole loop not: {{.*}}[call]
// CHECK: apart.c:[[#@LINE+7]]:{{[0-9]+}}: remark: {{sweeps of one time step|time loop}} tiled
// IR-LABEL: define {{.*}}@middle(
// IR: call void @middle.stretch{{[.0-9]*}}(i64 1,
// IR: call void @show(
// IR: ret void
void middle(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        show(v, n);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}

// Left between two sweeps of a step, here and there.
// CHECK: apart.c:[[#@LINE+4]]:{{[0-9]+}}: remark: sweeps of one time step tiled
// CHECK: apart.c:[[#@LINE+3]]:{{[0-9]+}}: remark: {{sweeps of one time step|time loop}} tiled
int exit_between(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        if (t * n == 1000)
            return t;
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
        if (t * n == 2000)
            return -t;
        for (int i = 1; i < n - 1; i++)
            u[i] += 0.01 * v[i];
    }
    return steps;
}

// Which grid is which depends on what a function says.
// CHECK: apart.c:[[#@LINE+3]]:{{[0-9]+}}: remark: sweeps of one time step tiled
void choose(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        if (better(t)) {
            double *tmp = u;
            u = v;
            v = tmp;
        }
    }
}

// One of the sweeps is none that can be taken, and says why.
// CHECK: apart.c:[[#@LINE+4]]:{{[0-9]+}}: remark: sweeps of one time step tiled
// CHECK: apart.c:[[#@LINE+3]]:{{[0-9]+}}: remark: loop not taken: {{.*}}(line [[#@LINE+8]]) [dependence]
void one_serial(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        show(v, n);
        for (int i = 1; i < n - 1; i++)
            u[i] = 0.5 * (u[i - 1] + v[i]);
    }
}

// A loop over cases that are prepared, copied and shown is no time loop.
// CHECK-NOT: tiled
void cases(double *u, double *v, int n, int count)
{
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < n; i++)
            u[i] = k;
        show(u, n);
        for (int i = 0; i < n; i++)
            v[i] = u[i];
        show(v, n);
    }
}

// What the second sweep needs was read between the two, of what the first one writes: no value from before.
// CHECK: apart.c:[[#@LINE+4]]:{{[0-9]+}}: remark: sweeps of one time step tiled
// CHECK: apart.c:[[#@LINE+3]]:{{[0-9]+}}: remark: {{sweeps of one time step|time loop}} tiled
void scaled(double *u, double *v, const int *when, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double scale = 1.0;
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        if (better(t))
            scale = v[n / 2];
        for (int i = 1; i < n - 1; i++)
            u[i] = scale * (v[i - 1] + v[i + 1]);
    }
}

// One value of the grid is kept of each step.
// CHECK: apart.c:[[@LINE+3]]:{{.*}}: {{time loop|sweeps of one time step}} tiled
void traced(double *restrict u, double *restrict v, int n, int m, int steps, double *restrict trace)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
        trace[t] = u[n / 2 * m + m / 2];
    }
}

// Two kinds of steps, one of which has another way out behind its first sweep: no way leads from that to the second one
// in each step.
// CHECK: apart.c:[[#@LINE+5]]:{{[0-9]+}}: remark: sweeps of one time step tiled
// CHECK: apart.c:[[#@LINE+4]]:{{[0-9]+}}: remark: sweeps of one time step tiled
// CHECK: apart.c:[[#@LINE+3]]:{{[0-9]+}}: remark: sweeps of one time step tiled
void filtered(unsigned char *p, int width, int n, int rows, const int *kinds, signed char *line)
{
    for (int j = 0; j < rows; j++, p += width) {
        if (kinds[j] < 0) {
            for (int i = n; i < width; i++)
                line[i] = p[i] - p[i - 1];
            continue;
        }
        for (int i = 0; i < n; i++)
            line[i] = p[i] + p[i + 1];
        if (kinds[j] == 1)
            for (int i = n; i < width; i++)
                line[i] = p[i] - p[i - n];
        else if (kinds[j] == 2)
            for (int i = n; i < width; i++)
                line[i] = p[i] - (p[i - n] >> 1);
    }
}
