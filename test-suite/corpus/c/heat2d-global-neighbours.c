/* Heat on a torus whose counters and neighbours are variables of the whole program. */
#include "corpus.h"

int i, j, t, ip, im, jp, jm, odd;

CORPUS_HELPER void heat(double *u, double *v, int n, int m, int steps)
{
    for (t = 0; t < steps; t++) {
        for (i = 0; i < n; i++)
            for (j = 0; j < m; j++) {
                ip = i == n - 1 ? 0 : i + 1;
                im = i == 0 ? n - 1 : i - 1;
                jp = j == m - 1 ? 0 : j + 1;
                jm = j == 0 ? m - 1 : j - 1;
                odd = (ip + jp) & 1;
                v[i * m + j] = u[i * m + j] + 0.2 * (u[ip * m + j] + u[im * m + j] + u[i * m + jp] + u[i * m + jm] -
                                                     4.0 * u[i * m + j]);
            }
        for (i = 0; i < n; i++)
            for (j = 0; j < m; j++)
                u[i * m + j] = v[i * m + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        i = j = t = ip = im = jp = jm = odd = -1;
        heat(u, v, c.nx, c.ny, c.steps);
        corpus_value("i", i);
        corpus_value("j", j);
        corpus_value("ip", ip);
        corpus_value("im", im);
        corpus_value("jp", jp);
        corpus_value("jm", jm);
        corpus_value("odd", odd);
        corpus_end();
    }
    return 0;
}
