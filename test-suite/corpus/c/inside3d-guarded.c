/* A kernel as it came back from a GPU: loops over everything, a test keeps the border out. */
#include "corpus.h"

#define AT(x, y, z) (((size_t)(x) * ny + (y)) * nz + (z))

void heat(const double *u, double *v, int nx, int ny, int nz)
{
    for (int x = 0; x < nx; x++)
        for (int y = 0; y < ny; y++)
            for (int z = 0; z < nz; z++)
                if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
                    v[AT(x, y, z)] = u[AT(x, y, z)] +
                                     0.1 * (u[AT(x - 1, y, z)] + u[AT(x + 1, y, z)] +
                                            u[AT(x, y - 1, z)] + u[AT(x, y + 1, z)] +
                                            u[AT(x, y, z - 1)] + u[AT(x, y, z + 1)] -
                                            6.0 * u[AT(x, y, z)]);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, c.nz));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, c.nz));
        for (int t = 0; t < c.steps; t++) {
            heat(u, v, c.nx, c.ny, c.nz);
            double *tmp = u;
            u = v;
            v = tmp;
        }
        corpus_end();
    }
    return 0;
}
