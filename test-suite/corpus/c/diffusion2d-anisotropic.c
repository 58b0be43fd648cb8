/* Anisotropic diffusion: coefficients are arguments, steps counted by a while loop. */
#include "corpus.h"

double *diffusion(double *u, double *un, int nx, int ny, double cx, double cy, int nt)
{
    int t = 1;
    while (t <= nt) {
        for (int i = 1; i <= nx - 2; i++)
            for (int j = 1; j <= ny - 2; j++)
                un[i * ny + j] =
                    u[i * ny + j] +
                    cx * (u[(i + 1) * ny + j] - 2.0 * u[i * ny + j] + u[(i - 1) * ny + j]) +
                    cy * (u[i * ny + j + 1] - 2.0 * u[i * ny + j] + u[i * ny + j - 1]);
        double *tmp = u;
        u = un;
        un = tmp;
        t++;
    }
    return u;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *un = corpus_doubles("un", corpus_points(c.nx, c.ny, 1));
        double *last = diffusion(u, un, c.nx, c.ny, 0.2, 0.05, c.steps);
        corpus_value("last is u", last == u);
        corpus_end();
    }
    return 0;
}
