/* Two-dimensional FDTD (TE mode): fields of a structure, one function a field. */
#include "corpus.h"

struct fields {
    int nx, ny;
    float *ex;
    float *ey;
    float *hz;
};

static void update_electric(struct fields *f, float ce)
{
    const int ny = f->ny;

    for (int i = 1; i < f->nx; i++)
        for (int j = 0; j < ny; j++)
            f->ey[i * ny + j] -= ce * (f->hz[i * ny + j] - f->hz[(i - 1) * ny + j]);
    for (int i = 0; i < f->nx; i++)
        for (int j = 1; j < ny; j++)
            f->ex[i * ny + j] -= ce * (f->hz[i * ny + j] - f->hz[i * ny + j - 1]);
}

static void update_magnetic(struct fields *f, float ch)
{
    const int ny = f->ny;

    for (int i = 0; i < f->nx - 1; i++)
        for (int j = 0; j < ny - 1; j++)
            f->hz[i * ny + j] -= ch * (f->ex[i * ny + j + 1] - f->ex[i * ny + j] +
                                       f->ey[(i + 1) * ny + j] - f->ey[i * ny + j]);
}

void fdtd(struct fields *f, int steps, float ce, float ch)
{
    for (int t = 0; t < steps; t++) {
        update_electric(f, ce);
        update_magnetic(f, ch);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct fields f = {c.nx, c.ny, corpus_floats("ex", points), corpus_floats("ey", points),
                           corpus_floats("hz", points)};
        fdtd(&f, c.steps, 0.5f, 0.7f);
        corpus_end();
    }
    return 0;
}
