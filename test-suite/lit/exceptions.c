// A file that asks whether an overflow has happened keeps its loops: nothing says so of what is computed elsewhere. One that
// only puts such exceptions by, as flang does around what uses the IEEE modules, asks nothing.
// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: %clang -O2 -DPUT_BY -S -o /dev/null -Rpass-missed=hexpass -Rpass=hexpass %s 2>&1 | FileCheck --check-prefix=TAKEN %s
// CHECK: remark: loop not taken: this file asks for floating-point exceptions{{.+}} [operation]
// TAKEN: remark: time loop tiled

int fetestexcept(int which);
int feclearexcept(int which);

static void heat(double *restrict u, double *restrict v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 1e60 * (u[i - 1] + u[i] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}

int blow(double *u, double *v, int n, int steps)
{
    feclearexcept(fetestexcept(-1));
    heat(u, v, n, steps);
#ifdef PUT_BY
    return 0;
#else
    return fetestexcept(8);
#endif
}
