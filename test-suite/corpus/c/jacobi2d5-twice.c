/* The same, of one pointer that is handed over twice: what each sweep reads it has written itself. */
#include "corpus.h"
#include <math.h>

__attribute__((noinline)) static int solve(double **u, double **v, int n, int m, int steps, double tolerance)
{
    int t;
    for (t = 0; t < steps; t++) {
        double change = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double new = 0.25 * ((*u)[(i - 1) * m + j] + (*u)[(i + 1) * m + j] + (*u)[i * m + j - 1] +
                                     (*u)[i * m + j + 1]);
                change = fmax(change, fabs(new - (*u)[i * m + j]));
                (*v)[i * m + j] = new;
            }
        double *tmp = *u;
        *u = *v;
        *v = tmp;
        if (change < tolerance)
            break;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points);
        int taken = 0;
        if (points)
            taken = solve(&u, &u, c.nx, c.ny, c.steps, 0.02);
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
