/* Heat on an insulated plate with a halo: the halo mirrors the edge in each step. */
#include "corpus.h"

double *plate(double *u, double *v, int nx, int ny, int steps)
{
    const int w = ny + 2;

    for (int t = 0; t < steps; t++) {
        for (int j = 1; j <= ny; j++) {
            u[j] = u[w + j];
            u[(nx + 1) * w + j] = u[nx * w + j];
        }
        for (int i = 1; i <= nx; i++) {
            u[i * w] = u[i * w + 1];
            u[i * w + ny + 1] = u[i * w + ny];
        }
        for (int i = 1; i <= nx; i++)
            for (int j = 1; j <= ny; j++)
                v[i * w + j] = u[i * w + j] +
                               0.2 * (u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] +
                                      u[i * w + j + 1] - 4.0 * u[i * w + j]);
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
        double *u = corpus_doubles("u", corpus_points(c.nx + 2, c.ny + 2, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx + 2, c.ny + 2, 1));
        double *last = plate(u, v, c.nx, c.ny, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
