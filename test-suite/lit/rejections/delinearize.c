// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [delinearize]

/* Plane and row strides are independent numbers: nothing says that rows fit into planes. */
void heat(double *u, double *v, long plane, long row, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                for (long k = 1; k < n - 1; k++) {
                    long p = i * plane * plane + j * row + i * row * row + k;
                    v[p] = 0.5 * u[p] + 0.25 * (u[p - 1] + u[p + 1]);
                }
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
