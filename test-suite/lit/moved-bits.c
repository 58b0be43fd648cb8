// What one place holds in a step is chosen between numbers of one type only: a zero, or bits that are moved as an integer, are
// two stores. (The code generator had refused the choice of one of them as a fault of its own.)
// RUN: %clang -O2 -fno-strict-aliasing -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK-NOT: failed
// CHECK: moved-bits.c:[[@LINE+5]]:5: remark: time loop tiled

/* Readings that can't be right are thrown away, the others copied as they are. */
void clean(int n, int steps, double *restrict u, double *restrict v)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            if (u[i - 1] + u[i + 1] > 2.0)
                v[i] = 0.0;
            else
                *(long *)&v[i] = *(long *)&u[i];
        }
        for (int i = 1; i < n - 1; i++)
            u[i] = 0.5 * (v[i - 1] + v[i + 1]);
    }
}
