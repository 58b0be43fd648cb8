/* Three levels of pointers. */
#include "corpus.h"

static double ***grid(const char *name, int n, int m, int l)
{
    double *all = corpus_doubles(name, corpus_points(n, m, l));
    double ***planes = malloc((size_t)(n > 0 ? n : 1) * sizeof *planes);
    for (int i = 0; i < n; i++) {
        planes[i] = malloc((size_t)(m > 0 ? m : 1) * sizeof **planes);
        for (int j = 0; j < m; j++)
            planes[i][j] = l > 0 ? all + ((size_t)i * (size_t)m + (size_t)j) * (size_t)l : all;
    }
    return planes;
}

static void drop(double ***planes, int n)
{
    for (int i = 0; i < n; i++)
        free(planes[i]);
    free(planes);
}

void relax(double ***u, double ***v, int n, int m, int l, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++)
                    v[i][j][k] = (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k] +
                                  u[i][j][k - 1] + u[i][j][k + 1]) / 6.0;
        double ***tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double ***u = grid("u", c.nx, c.ny, c.nz), ***v = grid("v", c.nx, c.ny, c.nz);
        relax(u, v, c.nx, c.ny, c.nz, c.steps);
        corpus_end();
        drop(u, c.nx);
        drop(v, c.nx);
    }
    return 0;
}
