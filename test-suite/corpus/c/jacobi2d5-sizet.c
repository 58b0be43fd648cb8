/* Five points with size_t indices and restrict. */
#include "corpus.h"

double *jacobi(double *restrict u, double *restrict v, size_t nx, size_t ny, size_t steps)
{
    for (size_t t = 0; t < steps; t++) {
        for (size_t i = 1; i + 1 < nx; i++)
            for (size_t j = 1; j + 1 < ny; j++)
                v[i * ny + j] = 0.5 * u[i * ny + j] +
                                0.125 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] +
                                         u[i * ny + j - 1] + u[i * ny + j + 1]);
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
        double *last = jacobi(u, v, (size_t)c.nx, (size_t)c.ny, (size_t)c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
