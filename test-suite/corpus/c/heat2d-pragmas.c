/* The pragmas of OpenMP and OpenACC that codes carry around: none of them is switched on here. */
#include "corpus.h"

#pragma clang diagnostic ignored "-Wunknown-pragmas"

void heat(double *restrict u, double *restrict v, int n, int m, int steps)
{
#pragma acc data copy(u[0 : n * m]) create(v[0 : n * m])
    for (int t = 0; t < steps; t++) {
#pragma acc parallel loop collapse(2) present(u, v)
#pragma omp parallel for collapse(2) schedule(static)
        for (int i = 1; i < n - 1; i++)
#pragma omp simd
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
#pragma acc kernels
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
#pragma GCC ivdep
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = v[i * m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
