/* Diffusion in a material: conductivities in x and y are arrays, here one and the same. */
#include "corpus.h"

double *diffusion(double *u, double *v, const double *kx, const double *ky, int nx, int ny, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < nx - 1; i++) {
            for (int j = 1; j < ny - 1; j++) {
                int p = i * ny + j;
                v[p] = u[p] + kx[p] * (u[p + ny] - 2.0 * u[p] + u[p - ny]) +
                       ky[p] * (u[p + 1] - 2.0 * u[p] + u[p - 1]);
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
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        double *k = corpus_doubles("k", points);
        for (size_t p = 0; p < points; p++)
            k[p] = 0.05 + 0.02 * (double)(p % 7);
        double *last = diffusion(u, v, k, k, c.nx, c.ny, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
