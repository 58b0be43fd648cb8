/* Until the residual has fallen to a part of what it was in the first step; planes are not the outermost loop. */
#include "corpus.h"
#include <math.h>

int jacobi(double *u, double *v, double *reached, int nx, int ny, int nz, int steps)
{
    double first = 0.0, now = 0.0;
    int t = 0;
    if (steps <= 0)
        return 0;
    do {
        double sum = 0.0;
        for (int j = 1; j < ny - 1; j++)
            for (int i = 1; i < nx - 1; i++)
                for (int k = 1; k < nz - 1; k++) {
                    double *at = u + ((long)i * ny + j) * nz + k;
                    double x = (at[-ny * nz] + at[ny * nz] + at[-nz] + at[nz] + at[-1] + at[1]) / 6.0;
                    double change = x - *at;
                    v[((long)i * ny + j) * nz + k] = x;
                    sum += change * change;
                }
        double *w = u;
        u = v;
        v = w;
        now = sqrt(sum);
        if (t == 0)
            first = now;
        t++;
    } while (now / first > 0.35 && t < steps);
    *reached = now;
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, c.nz));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, c.nz));
        double *reached = corpus_doubles("reached", 1);
        corpus_value("taken", jacobi(u, v, reached, c.nx, c.ny, c.nz, c.steps));
        corpus_end();
    }
    return 0;
}
