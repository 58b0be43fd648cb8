// Pragmas are passed over without -fopenmp; with it, the threads are the program's. Those of OpenACC are passed over.
// RUN: %clangxx -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %clangxx -O3 -fopenmp-simd -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// RUN: %clangxx -O3 -fopenmp -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --check-prefix=OPENMP

void heat(double *u, double *v, int n, int m, int steps)
{
#pragma acc data copy(u[0 : n * m], v[0 : n * m])
    // CHECK: [[@LINE+2]]:5: remark: time loop tiled
    // OPENMP: [[@LINE+1]]:5: remark: loop not taken: {{.*}} [openmp]
    for (int t = 0; t < steps; t++) {
#pragma acc parallel loop collapse(2) present(u, v)
#pragma omp parallel for collapse(2) schedule(static)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}
