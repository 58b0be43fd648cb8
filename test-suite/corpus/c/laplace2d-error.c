/* Laplace's equation until no cell changes by more than a tolerance: the largest change is found in the sweep, the new
   values are copied back, and every tenth error is noted. */
#include "corpus.h"
#include <math.h>

int laplace(double *restrict a, double *restrict next, double *restrict errors, int n, int m, int steps,
            double tolerance)
{
    double error = 1.0;
    int iteration = 0;

    while (error > tolerance && iteration < steps) {
        error = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                next[i * m + j] = 0.25 * (a[i * m + j + 1] + a[i * m + j - 1] + a[(i - 1) * m + j] +
                                          a[(i + 1) * m + j]);
                error = fmax(error, fabs(next[i * m + j] - a[i * m + j]));
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i * m + j] = next[i * m + j];
        if (iteration % 10 == 0)
            errors[iteration / 10 % 8] = error;
        iteration++;
    }
    return iteration;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points);
        double *next = corpus_doubles("next", points);
        double *errors = corpus_doubles("errors", 8);
        corpus_value("iterations", laplace(a, next, errors, c.nx, c.ny, c.steps, 0.02));
        corpus_end();
    }
    return 0;
}
