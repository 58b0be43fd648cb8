/* Fourth-order diffusion, a star of radius two, long indices. */
#include "corpus.h"

double *diffuse4(double *u, double *v, long nx, long ny, double c0, double c1, double c2, long steps)
{
    while (steps-- > 0) {
        for (long i = 2; i < nx - 2; i++) {
            for (long j = 2; j < ny - 2; j++) {
                v[i * ny + j] = c0 * u[i * ny + j] +
                                c1 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] +
                                      u[i * ny + j + 1]) +
                                c2 * (u[(i - 2) * ny + j] + u[(i + 2) * ny + j] + u[i * ny + j - 2] +
                                      u[i * ny + j + 2]);
            }
        }
        double *tmp = u;
        u = v;
        v = tmp;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        double *last = diffuse4(u, v, c.nx, c.ny, 0.5, 0.15, -0.025, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
