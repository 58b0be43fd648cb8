/* Maxwell's equations in three dimensions: six fields in a structure, updated in place, macros for the subscripts, and a
 * source at one edge. */
#include "corpus.h"
#include <math.h>

struct fields {
    float *ex, *ey, *ez, *hx, *hy, *hz;
    int nx, ny, nz;
};

#define AT(f, i, j, k) g->f[((i) * g->ny + (j)) * g->nz + (k)]

static void magnetic(struct fields *g, float c)
{
    for (int i = 0; i < g->nx - 1; i++)
        for (int j = 0; j < g->ny - 1; j++)
            for (int k = 0; k < g->nz - 1; k++) {
                AT(hx, i, j, k) += c * (AT(ey, i, j, k + 1) - AT(ey, i, j, k) - AT(ez, i, j + 1, k) + AT(ez, i, j, k));
                AT(hy, i, j, k) += c * (AT(ez, i + 1, j, k) - AT(ez, i, j, k) - AT(ex, i, j, k + 1) + AT(ex, i, j, k));
                AT(hz, i, j, k) += c * (AT(ex, i, j + 1, k) - AT(ex, i, j, k) - AT(ey, i + 1, j, k) + AT(ey, i, j, k));
            }
}

static void electric(struct fields *g, float c)
{
    for (int i = 1; i < g->nx - 1; i++)
        for (int j = 1; j < g->ny - 1; j++)
            for (int k = 1; k < g->nz - 1; k++) {
                AT(ex, i, j, k) += c * (AT(hz, i, j, k) - AT(hz, i, j - 1, k) - AT(hy, i, j, k) + AT(hy, i, j, k - 1));
                AT(ey, i, j, k) += c * (AT(hx, i, j, k) - AT(hx, i, j, k - 1) - AT(hz, i, j, k) + AT(hz, i - 1, j, k));
                AT(ez, i, j, k) += c * (AT(hy, i, j, k) - AT(hy, i - 1, j, k) - AT(hx, i, j, k) + AT(hx, i, j - 1, k));
            }
}

void run(struct fields *g, int steps)
{
    for (int t = 0; t < steps; t++) {
        magnetic(g, 0.3f);
        electric(g, 0.3f);
        float pulse = expf(-0.1f * (float)((t - 6) * (t - 6)));
        for (int k = 0; k < g->nz; k++)
            AT(ez, 0, 0, k) = pulse;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        struct fields g = {corpus_floats("ex", points), corpus_floats("ey", points), corpus_floats("ez", points),
                           corpus_floats("hx", points), corpus_floats("hy", points), corpus_floats("hz", points),
                           c.nx, c.ny, c.nz};
        run(&g, c.steps);
        corpus_end();
    }
    return 0;
}
