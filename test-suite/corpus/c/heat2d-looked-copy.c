/* Heat whose new values are looked at every few steps, before they are copied back as one block of memory. */
#include "corpus.h"

static double total;

CORPUS_HELPER void report(int step, const double *u, long count)
{
    double sum = 0.0;
    for (long i = 0; i < count; i++)
        sum += u[i] * (double)(1 + i % 5);
    total += sum;
    printf("step %d: %.17g\n", step, sum);
}

void heat(double *u, double *next, int n, int m, int steps, int every)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = 0.2 * (u[i * m + j] + u[(i - 1) * m + j] + u[(i + 1) * m + j] +
                                         u[i * m + j - 1] + u[i * m + j + 1]);
        if (t % every == 0)
            report(t, next, (long)n * m);
        memcpy(u, next, (size_t)n * (size_t)m * sizeof *u);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *next = corpus_doubles("next", points);
        total = 0.0;
        if (points)
            heat(u, next, c.nx, c.ny, c.steps, 3 + (c.nx + c.ny) % 6);
        corpus_value("total", (int64_t)(total * 1e6));
        corpus_end();
    }
    return 0;
}
