/* Lattice Boltzmann that pushes: collisions in place, then each population goes to the neighbour that a table of
   directions names. Walls around the box keep what has reached them. */
#include "corpus.h"

enum { POPULATIONS = 9 };

static const int DX[POPULATIONS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int DY[POPULATIONS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

static void collide(double *f, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double *cell = f + (i * m + j) * POPULATIONS;
            double density = 0.0, x = 0.0, y = 0.0;
            for (int k = 0; k < POPULATIONS; k++) {
                density += cell[k];
                x += DX[k] * cell[k];
                y += DY[k] * cell[k];
            }
            for (int k = 0; k < POPULATIONS; k++) {
                double rest = (density + 3.0 * (DX[k] * x + DY[k] * y)) / POPULATIONS;
                cell[k] -= 0.6 * (cell[k] - rest);
            }
        }
}

static void push(const double *f, double *moved, int n, int m)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            for (int k = 0; k < POPULATIONS; k++)
                moved[((i + DY[k]) * m + j + DX[k]) * POPULATIONS + k] = f[(i * m + j) * POPULATIONS + k];
}

void flow(double *f, double *moved, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        collide(f, n, m);
        push(f, moved, n, m);
        double *tmp = f;
        f = moved;
        moved = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *f = corpus_doubles("f", corpus_points(c.nx, c.ny, POPULATIONS));
        double *moved = corpus_doubles("moved", corpus_points(c.nx, c.ny, POPULATIONS));
        flow(f, moved, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
