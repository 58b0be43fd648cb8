/* Two neighbours at distances that only the run knows, on either side and of any length: from zero to beyond the grid. */
#include "corpus.h"

static void mix(double *u, double *v, int n, int ahead, int behind, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i + ahead] + u[i - behind]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t room = (size_t)abs(c.ny) + (size_t)abs(c.nz);
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1) + 2 * room);
        double *v = corpus_doubles("v", corpus_points(c.nx, 1, 1) + 2 * room);
        mix(u + room, v + room, c.nx, c.ny, c.nz, c.steps);
        corpus_end();
    }
    return 0;
}
