/* Heat in a structure whose grids change places; the loop is left when one point hardly changes any more. */
#include "corpus.h"

#include <math.h>

struct plate {
    int n, m;
    float *now, *next;
};

int heat(struct plate *p, int steps, float small)
{
    float last = 0.0f;
    int n = p->n, m = p->m, t;
    for (t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const float *u = p->now + i * m + j;
                p->next[i * m + j] = 0.25f * (u[-m] + u[-1] + u[1] + u[m]);
            }
        float here = p->next[n / 2 * m + m / 2];
        float *w = p->now;
        p->now = p->next;
        p->next = w;
        if (t > 2 && fabsf(here - last) < small)
            break;
        last = here;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        double *left = corpus_doubles("left", 1);
        struct plate p = {c.nx, c.ny, u, v};
        *left = heat(&p, c.steps, 1e-3f) + (p.now == u ? 0.5 : 0.0);
        corpus_end();
    }
    return 0;
}
