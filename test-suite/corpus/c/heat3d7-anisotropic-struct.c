/* Heat in an anisotropic box; grid in a structure, coefficients as arguments. */
#include "corpus.h"

struct box {
    long nx, ny, nz;
    double *t0;
    double *t1;
};

void conduct(struct box *b, double kx, double ky, double kz, int steps)
{
    double *cur = b->t0, *next = b->t1;
    long nx = b->nx, ny = b->ny, nz = b->nz;

    for (int s = 0; s < steps; s++) {
        for (long x = 1; x < nx - 1; x++) {
            for (long y = 1; y < ny - 1; y++) {
                for (long z = 1; z < nz - 1; z++) {
                    long p = (x * ny + y) * nz + z;
                    next[p] = cur[p] + kx * (cur[p - ny * nz] - 2.0 * cur[p] + cur[p + ny * nz]) +
                              ky * (cur[p - nz] - 2.0 * cur[p] + cur[p + nz]) +
                              kz * (cur[p - 1] - 2.0 * cur[p] + cur[p + 1]);
                }
            }
        }
        double *tmp = cur;
        cur = next;
        next = tmp;
    }
    b->t0 = cur;
    b->t1 = next;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *t0 = corpus_doubles("t0", corpus_points(c.nx, c.ny, c.nz));
        double *t1 = corpus_doubles("t1", corpus_points(c.nx, c.ny, c.nz));
        struct box b = {c.nx, c.ny, c.nz, t0, t1};
        conduct(&b, 0.1, 0.06, 0.14, c.steps);
        corpus_value("t0", b.t0 == t0);
        corpus_value("t1", b.t1 == t1);
        corpus_end();
    }
    return 0;
}
