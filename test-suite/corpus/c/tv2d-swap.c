/* Total-variation update of an image: four edge weights from seven points,
 * a semi-implicit step; the two images change roles. */
#include "corpus.h"

#include <math.h>

#define EPS 1.0e-6

double *tv_update(double *u, double *unew, int ny, int nx, double dt, int iterations)
{
    for (int it = 0; it < iterations; it++) {
        for (int i = 1; i < ny - 1; i++) {
            for (int j = 1; j < nx - 1; j++) {
                double c = u[i * nx + j];
                double s = u[(i + 1) * nx + j], n = u[(i - 1) * nx + j];
                double e = u[i * nx + j + 1], w = u[i * nx + j - 1];
                double ne = u[(i - 1) * nx + j + 1], sw = u[(i + 1) * nx + j - 1];

                double here = 1.0 / sqrt(EPS + (s - c) * (s - c) + (e - c) * (e - c));
                double north = 1.0 / sqrt(EPS + (c - n) * (c - n) + (ne - n) * (ne - n));
                double west = 1.0 / sqrt(EPS + (sw - w) * (sw - w) + (c - w) * (c - w));

                unew[i * nx + j] = (c + dt * (here * (s + e) + north * n + west * w)) /
                                   (1.0 + dt * (2.0 * here + north + west));
            }
        }
        double *tmp = u;
        u = unew;
        unew = tmp;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *unew = corpus_doubles("unew", corpus_points(c.nx, c.ny, 1));
        double *last = tv_update(u, unew, c.nx, c.ny, 0.01, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
