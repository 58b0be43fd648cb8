/* Every few steps somebody else looks at the new field, before the two fields' pointers are swapped. */
#include "corpus.h"

typedef struct {
    int nx, ny;
    double dx, dy;
    double *data;
} Field;

static double seen[16];

CORPUS_HELPER void show(const Field *f, int step)
{
    double sum = 0.0;
    for (int i = 0; i < f->nx; i++)
        for (int j = 0; j < f->ny; j++)
            sum += f->data[(size_t)i * f->ny + j];
    seen[step % 16] = sum;
}

static void evolve(Field *now, const Field *before, double dt)
{
    double dx2 = before->dx * before->dx, dy2 = before->dy * before->dy;
    int ny = now->ny;
    for (int i = 1; i < now->nx - 1; i++)
        for (int j = 1; j < ny - 1; j++) {
            int k = i * ny + j;
            now->data[k] =
                before->data[k] +
                dt * ((before->data[k + ny] - 2.0 * before->data[k] + before->data[k - ny]) / dx2 +
                      (before->data[k + 1] - 2.0 * before->data[k] + before->data[k - 1]) / dy2);
        }
}

static void swap(Field *a, Field *b)
{
    double *data = a->data;
    a->data = b->data;
    b->data = data;
}

static void run(Field *now, Field *before, int steps)
{
    for (int t = 1; t <= steps; t++) {
        evolve(now, before, 0.05);
        if (t % 6 == 0)
            show(now, t);
        swap(now, before);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        double *shown = corpus_doubles("shown", 16);
        Field now = {c.nx, c.ny, 1.0, 0.5, b}, before = {c.nx, c.ny, 1.0, 0.5, a};
        run(&now, &before, c.steps);
        for (int k = 0; k < 16; k++)
            shown[k] = seen[k];
        corpus_value("now is a", now.data == a);
        corpus_end();
    }
    return 0;
}
