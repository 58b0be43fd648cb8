/* Waves are absorbed at two faces, which remember the plane beside them: sweeps over planes at places that are
 * parameters, apart from the grid's own. */
#include "corpus.h"

struct watch {
    double seen;
};

/* Whoever it is, the loop doesn't know. */
typedef void watcher(struct watch *, double *, int);

static void look(struct watch *w, double *u, int points)
{
    w->seen += u[points / 2];
    u[points / 2] *= 0.5;
}

#define AT(x, y, z) (((size_t)(x) * ny + (y)) * nz + (z))

CORPUS_HELPER void wave(double *u, double *v, double *low, double *high, double *side, int nx, int ny, int nz,
                        watcher *watch, struct watch *w, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int x = 1; x < nx - 1; x++)
            for (int y = 1; y < ny - 1; y++)
                for (int z = 1; z < nz - 1; z++)
                    v[AT(x, y, z)] += 0.3 * (u[AT(x - 1, y, z)] - 2.0 * u[AT(x, y, z)] + u[AT(x + 1, y, z)]);
        for (int x = 1; x < nx - 1; x++)
            for (int y = 1; y < ny - 1; y++)
                for (int z = 1; z < nz - 1; z++)
                    u[AT(x, y, z)] += 0.2 * v[AT(x, y, z)];
        watch(w, u, nx * ny * nz);
        for (int y = 0; y < ny; y++)
            for (int z = 0; z < nz; z++) {
                u[AT(nx - 1, y, z)] = high[y * nz + z] + 0.25 * (u[AT(nx - 2, y, z)] - u[AT(nx - 1, y, z)]);
                high[y * nz + z] = u[AT(nx - 2, y, z)];
            }
        for (int x = 0; x < nx; x++)
            for (int z = 0; z < nz; z++) {
                u[AT(x, ny - 1, z)] = side[x * nz + z] + 0.25 * (u[AT(x, ny - 2, z)] - u[AT(x, ny - 1, z)]);
                side[x * nz + z] = u[AT(x, ny - 2, z)];
            }
        watch(w, u, nx * ny * nz);
        for (int y = 0; y < ny; y++)
            for (int z = 0; z < nz; z++) {
                u[AT(0, y, z)] = low[y * nz + z] + 0.25 * (u[AT(1, y, z)] - u[AT(0, y, z)]);
                low[y * nz + z] = u[AT(1, y, z)];
            }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    watcher *volatile who = look;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *low = corpus_doubles("low", corpus_points(c.ny, c.nz, 1));
        double *high = corpus_doubles("high", corpus_points(c.ny, c.nz, 1));
        double *side = corpus_doubles("side", corpus_points(c.nx, c.nz, 1));
        struct watch w = {0.0};
        if (points)
            wave(u, v, low, high, side, c.nx, c.ny, c.nz, who, &w, c.steps);
        corpus_value("seen", (int64_t)(w.seen * 1e6));
        corpus_end();
    }
    return 0;
}
