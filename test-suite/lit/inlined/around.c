// A loop around a nest that was taken before it was inlined there: the nest is not taken again, what else is in the loop may
// be, and the loop itself is not told about.
// RUN: %clang -O2 -S -emit-llvm -o %t.ll -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.ll

typedef void solver(double *, double *, int, int);
typedef void sweep(double *, double *, int);

// CHECK-NOT: remark
// CHECK: around.c:[[#@LINE+3]]:{{[0-9]+}}: remark: time loop tiled
static void heat(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

static void smooth(double *to, double *from, int n)
{
    for (int i = 1; i < n - 1; i++)
        to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

// Only inlining tells whose these are.
// CHECK-NOT: remark
// CHECK: around.c:[[#@LINE+6]]:{{[0-9]+}}: remark: time loop tiled
// CHECK-NOT: remark
static void each(solver *solve, sweep *once, double *u, double *v, int n, int steps, int cases)
{
    for (int c = 0; c < cases; c++) {
        solve(u, v, n, steps);
        for (int t = 0; t < steps; t++) {
            once(v, u, n);
            double *swap = u;
            u = v;
            v = swap;
        }
    }
}

// IR: define {{.*}}@run(
// IR-DAG: call i32 {{.*}}@hexpass.nest.heat
// IR-DAG: call i32 {{.*}}@hexpass.nest.each
// IR: ret void
void run(double *u, double *v, int n, int steps, int cases) { each(heat, smooth, u, v, n, steps, cases); }

// So many others that nobody asks which of them is called.
void first(double *a, double *b, int n, int m) { a[n] = b[m]; }
void second(double *a, double *b, int n, int m) { a[m] = b[n]; }
void third(double *a, double *b, int n, int m) { a[n + m] = *b; }
void fourth(double *a, double *b, int n, int m) { *a = b[n + m]; }
solver *solvers[] = {first, second, third, fourth};

void one(double *a, double *b, int n) { a[n] = *b; }
void two(double *a, double *b, int n) { *a = b[n]; }
void three(double *a, double *b, int n) { b[n] = *a; }
void four(double *a, double *b, int n) { *b = a[n]; }
sweep *sweeps[] = {one, two, three, four};
