// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Each point has a sum of its own, and rows are added up behind the time loop. Arrays of different numbers of dimensions,
   more than three dimensions, loops in which nothing is stored, and loops that run through several rows of a grid as if
   they were one, but can't be cut into rows (`for (k = 0; k < n * m - 1; k++) old[k] = u[k + 1]`), are refused for this
   reason too. */
void heat(double *u, double *v, double *sum, double *total, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                sum[i * m + j] += u[i * m + j];
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
            }
        double *tmp = u;
        u = v;
        v = tmp;
    }
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            total[i] += sum[i * m + j];
}
