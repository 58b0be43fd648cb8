/* Two fields and a pulse; probes of both are written to a file in each step. */
#include "corpus.h"

#include <math.h>

void fields(double *ez, double *hx, double *hy, int n, int m, int steps, FILE *to)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m - 1; j++)
                hx[i * m + j] -= 0.5 * (ez[i * m + j + 1] - ez[i * m + j]);
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m; j++)
                hy[i * m + j] += 0.5 * (ez[(i + 1) * m + j] - ez[i * m + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                ez[i * m + j] += 0.5 * (hy[i * m + j] - hy[(i - 1) * m + j] - hx[i * m + j] + hx[i * m + j - 1]);
        ez[n / 2 * m + m / 2] += exp(-0.01 * (t - 20) * (t - 20));
        fprintf(to, "%d %a %a\n", t, ez[n / 3 * m + m / 3], hx[n / 4 * m + m / 5]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *ez = corpus_doubles("ez", corpus_points(c.nx, c.ny, 1));
        double *hx = corpus_doubles("hx", corpus_points(c.nx, c.ny, 1));
        double *hy = corpus_doubles("hy", corpus_points(c.nx, c.ny, 1));
        fields(ez, hx, hy, c.nx, c.ny, c.steps, stdout);
        corpus_end();
    }
    return 0;
}
