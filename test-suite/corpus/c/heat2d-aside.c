/* What each point works out stands in variables that others may look at afterwards: the change of the last point, and in a
 * vector the last value of each row. */
#include "corpus.h"

double change;
struct {
    int steps;
    float largest;
} state;

CORPUS_HELPER void heat(double *restrict u, double *restrict v, double *restrict ends, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int p = i * m + j;
                change = 0.2 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
                v[p] = u[p] + change;
                ends[i] = v[p];
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                state.largest = (float)v[i * m + j];
                u[i * m + j] = v[i * m + j];
            }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *ends = corpus_doubles("ends", corpus_points(c.nx, 1, 1)), *left = corpus_doubles("left", 2);
        change = left[0], state.largest = (float)left[1];
        heat(u, v, ends, c.nx, c.ny, c.steps);
        left[0] = change, left[1] = state.largest;
        corpus_end();
    }
    return 0;
}
