/* A vibrating string: three time levels, shifted by copying. */
#include "corpus.h"

void string(double *um, double *u, double *up, int nx, int nt, double c2)
{
    int n, i;

    for (n = 1; n <= nt; n++) {
        for (i = 1; i < nx - 1; i++)
            up[i] = 2.0 * u[i] - um[i] + c2 * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
        for (i = 0; i < nx; i++) {
            um[i] = u[i];
            u[i] = up[i];
        }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *um = corpus_doubles("um", corpus_points(c.nx, 1, 1));
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        double *up = corpus_doubles("up", corpus_points(c.nx, 1, 1));
        string(um, u, up, c.nx, c.steps, 0.81);
        corpus_end();
    }
    return 0;
}
