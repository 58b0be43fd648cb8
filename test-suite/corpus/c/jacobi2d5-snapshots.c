/* Jacobi iteration that looks at the grid every few steps: a copy of it, its sum, and a report by a function that may
   do what it likes. */
#include "corpus.h"

static double total;

CORPUS_HELPER void report(int step, const double *u, long count)
{
    double sum = 0.0;
    for (long i = 0; i < count; i++)
        sum += u[i] * (double)(1 + i % 7);
    total += sum;
    printf("step %d: %.17g\n", step, sum);
}

void jacobi(double *restrict a, double *restrict b, double *restrict kept, int n, int m, int steps, int every)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] +
                                       a[i * m + j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i * m + j] = b[i * m + j];
        if (t % every == 0)
            memcpy(kept, a, (size_t)n * (size_t)m * sizeof *kept);
        if (t % (3 * every) == 1)
            report(t, a, (long)n * m);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points);
        double *b = corpus_doubles("b", points);
        double *kept = corpus_doubles("kept", points);
        total = 0.0;
        if (points)
            jacobi(a, b, kept, c.nx, c.ny, c.steps, 1 + (c.nx + c.ny) % 6);
        corpus_value("total", (int64_t)(total * 1e6));
        corpus_end();
    }
    return 0;
}
