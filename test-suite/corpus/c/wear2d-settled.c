/* What some points wear is added up in an array that is touched nowhere else, until nothing changes much. */
#include "corpus.h"

#include <math.h>

CORPUS_HELPER void wear(double *u, double *v, double *worn, const uint8_t *mask, int n, int m, int steps)
{
    double change = 1;
    for (int t = 0; t < steps && change > 1e-9; t++) {
        change = 0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                change = fmax(change, fabs(v[i * m + j] - u[i * m + j]));
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                if (mask[i * m + j] & 1)
                    worn[i * m + j] += v[i * m + j];
        double *q = u;
        u = v;
        v = q;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points), *worn = corpus_doubles("worn", points);
        wear(u, v, worn, corpus_octets("mask", points), c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
