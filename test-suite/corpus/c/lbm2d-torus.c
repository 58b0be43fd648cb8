/* Lattice Boltzmann on a torus: neighbours by the remainder in one direction and by a comparison in the other, a row in
 * which a force acts where it may, and obstacles that throw back. */
#include "corpus.h"

enum { REST, EAST, NORTH, WEST, SOUTH, NORTHEAST, SOUTHWEST, POPULATIONS };

struct cell {
    double f[POPULATIONS];
};

static void push(struct cell *cells, const int *walls, int n, int m)
{
    int i = n - 2;
    for (int j = 0; j < m; j++)
        if (!walls[i * m + j] && cells[i * m + j].f[WEST] - 0.01 > 0.0 && cells[i * m + j].f[SOUTHWEST] - 0.005 > 0.0) {
            cells[i * m + j].f[EAST] += 0.01;
            cells[i * m + j].f[NORTHEAST] += 0.005;
            cells[i * m + j].f[WEST] -= 0.01;
            cells[i * m + j].f[SOUTHWEST] -= 0.005;
        }
}

static void stream(const struct cell *cells, struct cell *moved, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int up = (i + 1) % n, right = (j + 1) % m;
            int down = i == 0 ? i + n - 1 : i - 1, left = j == 0 ? j + m - 1 : j - 1;
            moved[i * m + j].f[REST] = cells[i * m + j].f[REST];
            moved[i * m + j].f[EAST] = cells[i * m + left].f[EAST];
            moved[i * m + j].f[NORTH] = cells[down * m + j].f[NORTH];
            moved[i * m + j].f[WEST] = cells[i * m + right].f[WEST];
            moved[i * m + j].f[SOUTH] = cells[up * m + j].f[SOUTH];
            moved[i * m + j].f[NORTHEAST] = cells[down * m + left].f[NORTHEAST];
            moved[i * m + j].f[SOUTHWEST] = cells[up * m + right].f[SOUTHWEST];
        }
}

static void collide(struct cell *cells, const struct cell *moved, const int *walls, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            const double *from = moved[i * m + j].f;
            double *to = cells[i * m + j].f;
            if (walls[i * m + j]) {
                to[EAST] = from[WEST];
                to[WEST] = from[EAST];
                to[NORTH] = from[SOUTH];
                to[SOUTH] = from[NORTH];
                to[NORTHEAST] = from[SOUTHWEST];
                to[SOUTHWEST] = from[NORTHEAST];
            } else {
                double density = 0.0;
                for (int k = 0; k < POPULATIONS; k++)
                    density += from[k];
                for (int k = 0; k < POPULATIONS; k++)
                    to[k] = from[k] + 0.6 * (density / POPULATIONS - from[k]);
            }
        }
}

void flow(struct cell *cells, struct cell *moved, const int *walls, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        push(cells, walls, n, m);
        stream(cells, moved, n, m);
        collide(cells, moved, walls, n, m);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *cells = corpus_doubles("cells", corpus_points(c.nx, c.ny, POPULATIONS));
        double *moved = corpus_doubles("moved", corpus_points(c.nx, c.ny, POPULATIONS));
        int *walls = corpus_ints("walls", corpus_points(c.nx, c.ny, 1));
        for (size_t k = 0; k < corpus_points(c.nx, c.ny, 1); k++)
            walls[k] = k % 7 == 3;
        flow((struct cell *)cells, (struct cell *)moved, walls, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
