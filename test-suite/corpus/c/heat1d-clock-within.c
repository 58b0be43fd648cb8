/* A clock that goes on in each step lies beside the grids, or in one of them: then the sweeps see it go on. */
#include "corpus.h"

void run(double *u, double *v, double *clock, const double *end, int n, int most)
{
    while (*clock < *end && most-- > 0) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        double *swap = u;
        u = v;
        v = swap;
        *clock += 1.0;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, 1, 1));
        double beside[2] = {0.0, c.steps / 2};
        run(u, v, &beside[0], &beside[1], c.nx, c.steps);
        double end = beside[0] + 1e3;
        /* What the sweeps never write. */
        u[0] = end - (c.steps + 3) / 4;
        run(u, v, &u[0], &end, c.nx, c.steps);
        /* What they do. */
        v[c.nx / 2] = end - 2.0;
        for (int calls = 0; calls < 3; calls++) {
            double until = v[c.nx / 2] + 2.0;
            run(u, v, &v[c.nx / 2], &until, c.nx, c.steps);
            run(u, v, &beside[0], &u[c.nx / 3], c.nx, c.steps);
        }
        corpus_value("clock", (long)(1e6 * beside[0]));
        corpus_end();
    }
    return 0;
}
