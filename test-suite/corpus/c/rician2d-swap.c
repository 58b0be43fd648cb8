/* Denoising of magnetic resonance images with Rician noise: total-variation flow
 * with a data term, after Getreuer, Tong and Vese. g = 1/|grad u|, then u moves. */
#include "corpus.h"

#include <math.h>

#define DT 5.0
#define EPSILON 1.0e-10

double *denoise(double *u, double *unew, double *g, const double *f, int m, int n, double sigma2,
                double lambda, int iterations)
{
    double gamma = lambda / sigma2;

    for (int it = 0; it < iterations; it++) {
        for (int i = 1; i < m - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                double c = u[i * n + j];
                double dr = c - u[i * n + j + 1], dl = c - u[i * n + j - 1];
                double dd = c - u[(i + 1) * n + j], du = c - u[(i - 1) * n + j];
                g[i * n + j] = 1.0 / sqrt(EPSILON + dr * dr + dl * dl + dd * dd + du * du);
            }
        for (int i = 1; i < m - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                double gr = g[i * n + j + 1], gl = g[i * n + j - 1];
                double gd = g[(i + 1) * n + j], gu = g[(i - 1) * n + j];
                /* Rational approximation of I1(r)/I0(r). */
                double r = u[i * n + j] * f[i * n + j] / sigma2;
                r = (r * (2.38944 + r * (0.950037 + r))) /
                    (4.65314 + r * (2.57541 + r * (1.48937 + r)));
                unew[i * n + j] =
                    (u[i * n + j] + DT * (u[i * n + j + 1] * gr + u[i * n + j - 1] * gl +
                                          u[(i + 1) * n + j] * gd + u[(i - 1) * n + j] * gu +
                                          gamma * f[i * n + j] * r)) /
                    (1.0 + DT * (gr + gl + gd + gu + gamma));
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
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *unew = corpus_doubles("unew", points);
        double *g = corpus_doubles("g", points);
        double *f = corpus_doubles("f", points);
        double *last = denoise(u, unew, g, f, c.nx, c.ny, 0.0025, 0.065, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
