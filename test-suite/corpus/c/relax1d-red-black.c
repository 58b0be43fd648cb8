/* Red points, then black points, in one array. */
#include "corpus.h"

void relax(double *u, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i += 2)
            u[i] = 0.5 * (u[i - 1] + u[i + 1]);
        for (long i = 2; i < n - 1; i += 2)
            u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        relax(u, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
