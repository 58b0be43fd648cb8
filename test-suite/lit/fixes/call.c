// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The report comes at the end of the step, where it may do what it likes. A sweep in another file is seen with -flto, or
   in a header. In a file that looks at errno, `sqrt` is a call: compile with -fno-math-errno. A file under `#pragma STDC
   FENV_ACCESS ON` is refused for this reason too. */
void report(int step, const double *u);

void heat(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
        if (t % 100 == 0)
            report(t, u);
    }
}
