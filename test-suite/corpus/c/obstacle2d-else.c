/* Diffusion around obstacles: solid cells keep what they hold. */
#include "corpus.h"

void diffuse(double *u, double *v, const int *solid, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                if (solid[i * m + j] > 1000) {
                    v[i * m + j] = u[i * m + j];
                } else {
                    double sides = u[(i - 1) * m + j] + u[(i + 1) * m + j];
                    v[i * m + j] = 0.25 * (sides + u[i * m + j - 1] + u[i * m + j + 1]);
                }
            }
        }
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
        int *solid = corpus_ints("solid", corpus_points(c.nx, c.ny, 1));
        diffuse(u, v, solid, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
