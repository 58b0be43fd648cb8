/* Heat equation in buffers that are swapped; the norm of the change is a loop of its own, is printed every few steps,
   may end the loop there, and is given to the caller with the number of steps. */
#include "corpus.h"
#include <math.h>

static double heat(double *u, double *v, const int *solid, int n, int m, int steps, int every, int *taken)
{
    double norm = 3.0;
    int t;

    for (t = 0; t < steps; t++) {
        double inside = 0.0, sum = 0.0;
        int cells = 0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = u[i * m + j] + 0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
                inside -= v[i * m + j];
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                if (!(solid[i * m + j] & 1)) {
                    sum += (v[i * m + j] - u[i * m + j]) * (v[i * m + j] - u[i * m + j]);
                    cells++;
                }
        norm = sqrt(sum / (cells + 1)) - 1e-3 * inside;
        double *tmp = u;
        u = v;
        v = tmp;
        if (t % every == 0) {
            printf("step %d: %a of %d\n", t, norm, cells);
            if (norm < 0.05) {
                t += 1000;
                break;
            }
        }
    }
    *taken = t;
    return norm;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        int *solid = corpus_ints("solid", points);
        double *norm = corpus_doubles("norm", 1);
        int taken = 0;
        *norm = heat(u, v, solid, c.nx, c.ny, c.steps, 1 + (c.nx + c.ny) % 6, &taken);
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
