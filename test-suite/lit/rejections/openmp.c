// RUN: %clang -O2 -fopenmp -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %plain-clang -O2 -fopenmp -c -o %t.plain.o %s && %clang -O2 -fopenmp -c -o %t.o %s && cmp %t.plain.o %t.o
// CHECK: remark: loop not taken: {{.+}} [openmp]

/* The rows are shared out among the program's own threads. */
void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
