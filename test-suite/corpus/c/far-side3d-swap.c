/* The first layer takes the values of the last but one, in the buffer whose turn it is: what is written and what is read
   are planes of one array, and a single step knows one buffer only. */
#include "corpus.h"

static void come_round(float *u, float *v, int n, int m, int l, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int k = 1; k < l - 1; k++)
                v[(i * m + 0) * l + k] = 0.5f * v[(i * m + m - 2) * l + k];
        float *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        float *u = corpus_floats("u", points), *v = corpus_floats("v", points);
        come_round(u, v, c.nx, c.ny, c.nz, c.steps);
        corpus_end();
    }
    return 0;
}
