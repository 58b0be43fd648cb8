/* Jacobi iteration until the norm of the change is small; the norm that was reached is the caller's, and is printed every
   few steps. */
#include "corpus.h"
#include <math.h>

static int jacobi(double *u, double *v, int n, int m, int steps, double tolerance, int every, double *reached)
{
    double norm = 2.0 * tolerance;
    int t = 0;

    while (norm > tolerance && t < steps) {
        double sum = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                double change = v[i * m + j] - u[i * m + j];
                sum += change * change;
            }
        double *tmp = u;
        u = v;
        v = tmp;
        norm = sqrt(sum / (n * m));
        if (t % every == 0)
            printf("%d: %a\n", t, norm);
        t++;
    }
    *reached = norm;
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        double *reached = corpus_doubles("reached", 1);
        int taken = jacobi(u, v, c.nx, c.ny, c.steps, 0.05, 3 + c.nx % 5, reached);
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
