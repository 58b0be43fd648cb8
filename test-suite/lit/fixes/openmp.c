// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// RUN: %clang -O2 -fopenmp-simd -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Without -fopenmp the pragma is set aside, and the cores are used all the same. `-fopenmp-simd` does no harm, nor do
   pragmas of OpenACC, which the compiler passes over. */
void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
#pragma omp simd
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
