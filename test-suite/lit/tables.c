// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: a sweep reads or writes an array at places that another array says {{.+}} [non-affine]

/* Neighbours are looked up in a table; that each step needs a sum of the grid is not what stands in the way of its sweeps. */
void diffuse(double *u, double *c, const int *up, const int *down, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                sum += u[i * m + j];
        double mean = sum / (n * m);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                c[i * m + j] = u[up[i] * m + j] + u[down[i] * m + j] - mean * u[i * m + j];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                u[i * m + j] += 0.125 * c[down[i] * m + j];
    }
}
