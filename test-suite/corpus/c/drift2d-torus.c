/* Two populations on a torus, each of which pushes its values one place on; a cell is written down after each step. */
#include "corpus.h"

enum { RIGHT, UP, POPULATIONS, STEPS = 64 };

static void drift(double *f, double *moved, double *probe, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                double a = f[(i * m + j) * POPULATIONS + RIGHT], b = f[(i * m + j) * POPULATIONS + UP];
                double mean = 0.5 * (a + b);
                int right = (j + 1) % m, up = (i + 1) % n;
                moved[(i * m + right) * POPULATIONS + RIGHT] = a - 0.3 * (a - mean);
                moved[(up * m + j) * POPULATIONS + UP] = b - 0.3 * (b - mean);
            }
        double *tmp = f;
        f = moved;
        moved = tmp;
        probe[t % STEPS] = f[0];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *f = corpus_doubles("f", corpus_points(c.nx, c.ny, POPULATIONS));
        double *moved = corpus_doubles("moved", corpus_points(c.nx, c.ny, POPULATIONS));
        double *probe = corpus_doubles("probe", STEPS);
        drift(f, moved, probe, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
