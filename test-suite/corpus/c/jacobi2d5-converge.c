/* Jacobi iteration until the largest change is small; looked at every few steps. The step that starts differently, and
   a way out in the middle of the loop. */
#include "corpus.h"
#include <math.h>

int jacobi(double *u, double *v, int n, int m, int steps, int every, double tolerance)
{
    int t = 0;
    double change = 2.0 * tolerance;

    while (change > tolerance && t < steps) {
        if (t == 0)
            for (int j = 0; j < m; j++)
                u[j] = v[j] = 1.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
        if (t % every == 0) {
            change = 0.0;
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    change = fmax(change, fabs(v[i * m + j] - u[i * m + j]));
        }
        double *tmp = u;
        u = v;
        v = tmp;
        if (t >= 400)
            break;
        t++;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        int taken = 0;
        if (points)
            taken = jacobi(u, v, c.nx, c.ny, c.steps, 1 + (c.nx + c.ny) % 6, 0.01);
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
