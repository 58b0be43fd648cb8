// The original loop is what the source says: where a time loop is taken as it is and calls functions that take remainders,
// its function gets a call of the runtime and keeps its body, for the host to inline and optimise as without the plugin. The
// call costs its inliner nothing.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=OPTIMISED

static int around(const int *cells, int n, int m, int i, int j)
{
    int count = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
            if (di || dj)
                count += cells[(i + n + di) % n * m + (j + m + dj) % m];
    return count;
}

// The sweep calls what it calls.
// CHECK-LABEL: define {{.*}}@live(
// CHECK: [[RAN:%.*]] = call i32 {{.*}} %{{.*}}(ptr @hexpass.nest.live, ptr {{.*}}) [[COST:#[0-9]+]]
// CHECK-NEXT: [[DONE:%.*]] = icmp eq i32 [[RAN]], 1
// CHECK-NEXT: br i1 [[DONE]], label %hexpass.done, label %hexpass.original
// CHECK: hexpass.original:
// CHECK: call i32 @around(
// OPTIMISED-LABEL: define {{.*}}@live(
// OPTIMISED-NOT: hexpass.mark
void live(int *now, int *next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int count = around(now, n, m, i, j);
                next[i * m + j] = now[i * m + j] ? count == 2 || count == 3 : count == 3;
            }
        int *tmp = now;
        now = next;
        next = tmp;
    }
}

static int third(int kind)
{
    return kind % 3;
}

// What an iteration keeps in memory stays there; what the loop leaves behind comes from the call, or from the loop.
// CHECK-LABEL: define {{.*}}@mix(
// CHECK: alloca [3 x double]
// CHECK: call i32 {{.*}} %{{.*}}(ptr @hexpass.nest.mix, ptr {{.*}})
// CHECK: hexpass.original:
// CHECK: phi ptr [ {{.*}}, %hexpass.done ]
// CHECK: getelementptr inbounds [3 x double]
double *mix(double *u, double *v, const int *kinds, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            double part[3];
            for (int k = 0; k < 3; k++)
                part[k] = u[i + k - 1];
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += third(kinds[i]) * part[k];
            v[i] = sum;
        }
        double *tmp = u;
        u = v;
        v = tmp;
    }
    return u;
}

// What is known only in the copy that was looked at: there the callee's variable is in a register, here it is in memory
// when the loop begins, and is asked for behind it. The copy takes the function's place.
// CHECK-LABEL: define {{.*}}@counted(
// CHECK: call i32 {{.*}} %{{.*}}(ptr @hexpass.nest.counted,
// CHECK-NOT: call {{.*}}@next(
// CHECK: ret i32
static int next(int *t)
{
    return (*t)++;
}
int counted(float *u, float *v, const int *kinds, int n, int steps)
{
    int t = 0;
    while (next(&t) < steps) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5f * (u[i - 1] + u[i + 1]) + third(kinds[i]);
        float *tmp = u;
        u = v;
        v = tmp;
    }
    return t;
}

// Without remainders, too: of its loop of a few iterations, unrolled here, the host makes more than of the source.
// CHECK-LABEL: define {{.*}}@inside(
// CHECK: %wide.iv
// CHECK: call i32 {{.*}} %{{.*}}(ptr @hexpass.nest.inside, ptr {{.*}})
// CHECK-NOT: call {{.*}}@sum(
// CHECK: ret void
static int sum(const int *cells, int m, int i, int j)
{
    int all = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
            all += cells[(i + di) * m + j + dj];
    return all;
}
void inside(int *now, int *next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = sum(now, m, i, j) & 7;
        int *tmp = now;
        now = next;
        next = tmp;
    }
}

// CHECK-DAG: attributes [[COST]] = {{.*}}"call-inline-cost"="0" "call-threshold-bonus"="{{[0-9]+}}"
// CHECK-NOT: hexpass.mark
