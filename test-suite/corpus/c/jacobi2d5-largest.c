/* Jacobi iteration with swapped grids; each step looks for the largest rise, in place of the largest change, until it is
   small. What is printed every few steps is one cell. */
#include "corpus.h"
#include <stdio.h>

int jacobi(float *u, float *v, int n, int m, int steps, float tolerance)
{
    float rise;
    int t = 0;

    if (steps < 1)
        return 0;
    do {
        rise = 0.0f;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                        u[i * m + j + 1]);
                float change = v[i * m + j] - u[i * m + j];
                if (change > rise)
                    rise = change;
            }
        float *tmp = u;
        u = v;
        v = tmp;
        t++;
        if (t % 6 == 0 && n > 2 && m > 2)
            printf("%d: %g\n", t, u[n / 2 * m + m / 2]);
    } while (rise > tolerance && t < steps);
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *u = corpus_floats("u", points);
        float *v = corpus_floats("v", points);
        corpus_value("steps taken", jacobi(u, v, c.nx, c.ny, c.steps, 0.015f));
        corpus_end();
    }
    return 0;
}
