/* A flat grid with a leading dimension, whose sides functions set that take it as an array with rows of so many elements. */
#include "corpus.h"

static void set_sides(int rows, int length, double a[rows][length])
{
    for (int j = 0; j < length; j++) {
        a[0][j] = 0.5 * j;
        a[rows - 1][j] = a[rows - 2][j];
    }
    for (int i = 0; i < rows; i++) {
        a[i][0] = 0.25 * i;
        a[i][length - 1] = a[i][length - 2] + 1.0;
    }
}

void heat(double *u, double *v, int nx, int ny, int pitch, int length, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                v[i * pitch + j] = u[i * pitch + j] +
                                   0.1 * (u[(i - 1) * pitch + j] + u[(i + 1) * pitch + j] + u[i * pitch + j - 1] +
                                          u[i * pitch + j + 1] - 4.0 * u[i * pitch + j]);
        set_sides(nx, length, (double(*)[length])v);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        heat(u, v, c.nx, c.ny, c.ny, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
