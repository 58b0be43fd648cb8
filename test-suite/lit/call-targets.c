// What is called by its address: a loop for each function that the call may mean, and the loop as it was for all else.
// RUN: %hexcc -O2 -g -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %hexcc -O2 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=CODE

typedef void step(const double *u, double *v, int n);

static void three(const double *u, double *v, int n)
{
    for (int i = 1; i < n - 1; i++)
        v[i] = 0.5 * (u[i - 1] + u[i + 1]);
}

static void five(const double *u, double *v, int n)
{
    for (int i = 2; i < n - 2; i++)
        v[i] = 0.25 * (u[i - 2] + u[i - 1] + u[i + 1] + u[i + 2]);
}

void *table[] = {three, five};

// CODE-LABEL: define {{.*}}@argument(
// CODE-DAG: icmp eq ptr %{{.*}}, @three
// CODE-DAG: icmp eq ptr %{{.*}}, @five
// CODE: call void %{{.*}}(ptr
void argument(double *u, double *v, int n, int steps, step *apply)
{
    // CHECK: [[@LINE+2]]:5: remark: time loop tiled
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        apply(u, v, n);
        double *last = u;
        u = v;
        v = last;
    }
}

// In each step it may be another one: nobody knows what it changes.
// CODE-LABEL: define {{.*}}@another(
// CODE: call void %{{.*}}(ptr
void another(double *u, double *v, int n, int steps, step **apply)
{
    // CHECK-NOT: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        apply[t](u, v, n);
        double *last = u;
        u = v;
        v = last;
    }
}

// The program asks by itself, and has a sweep for either answer.
void asked(double *u, double *v, int n, int steps, step *apply)
{
    // CHECK: [[@LINE+2]]:5: remark: time loop tiled
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled
    for (int t = 0; t < steps; t++) {
        if (apply == three)
            for (int i = 1; i < n - 1; i++)
                v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        else
            for (int i = 2; i < n - 2; i++)
                v[i] = 0.25 * (u[i - 2] + u[i - 1] + u[i + 1] + u[i + 2]);
        double *last = u;
        u = v;
        v = last;
    }
}
