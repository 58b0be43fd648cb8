// Of two sweeps between which the step's number chooses, and which do the same to other arrays, one stays, with choices in
// front of it. What differs in more stays two.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefix=TAKEN

static void step(const double *restrict u, double *restrict v, long n)
{
    for (long i = 1; i < n - 1; i++)
        v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
}

// CHECK-LABEL: define {{.*}}@exchanged(
// CHECK-COUNT-2: select i1 {{.*}} ptr
// CHECK: store double
// What was promised of one call's arguments is not known of the others.
// CHECK-NOT: !noalias
// CHECK-NOT: noalias.scope.decl
// CHECK-NOT: store double
// CHECK: ret void
void exchanged(double *a, double *b, long n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D
    for (int t = 0; t < steps; t++)
        if (t % 2 == 0)
            step(a, b, n);
        else
            step(b, a, n);
}

// A weight differs, too; a flag remembers whose turn it is.
// CHECK-LABEL: define {{.*}}@weighted(
// CHECK: select i1 {{.*}} double
// CHECK: store double
// CHECK-NOT: store double
// CHECK: ret void
void weighted(double *a, double *b, long n, int steps, double p, double q)
{
    int forth = 1;
    for (int t = 0; t < steps; t++) {
        if (forth)
            for (long i = 1; i < n - 1; i++)
                b[i] = p * (a[i - 1] + a[i + 1]);
        else
            for (long i = 1; i < n - 1; i++)
                a[i] = q * (b[i - 1] + b[i + 1]);
        forth = !forth;
    }
}

// CHECK-LABEL: define {{.*}}@other_sums(
// CHECK-COUNT-2: store double
// CHECK: ret void
void other_sums(double *a, double *b, long n, int steps)
{
    for (int t = 0; t < steps; t++)
        if (t % 2 == 0)
            for (long i = 1; i < n - 1; i++)
                b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        else
            for (long i = 1; i < n - 1; i++)
                a[i] = 0.5 * (b[i - 1] - b[i + 1]);
}

// The first step is another one, and never comes again.
// CHECK-LABEL: define {{.*}}@first_apart(
// CHECK-COUNT-2: store double
// CHECK: ret void
void first_apart(double *a, double *b, double *c, long n, int steps)
{
    for (int t = 0; t < steps; t++)
        if (t == 0)
            step(c, b, n);
        else
            step(a, b, n);
}
