// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The steps are run in blocks, and the report comes between them. A sweep in another file is seen with -flto, or in a
   header. In a file that looks at errno, `sqrt` is a call: compile with -fno-math-errno. A file under `#pragma STDC FENV_ACCESS ON`
   is refused for this reason too. */
void report(int step, const double *u);

static void block(double **a, double **b, int n, int steps)
{
    double *u = *a, *v = *b;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
    *a = u;
    *b = v;
}

void heat(double *u, double *v, int n, int steps)
{
    block(&u, &v, n, steps / 2);
    report(steps / 2, u);
    block(&u, &v, n, steps - steps / 2);
}
