/* Poisson's equation, nine points; the problem is a structure, the sweep a function. */
#include "corpus.h"

struct poisson {
    int nx, ny;
    const float *rhs;
    float *u;
    float *next;
};

static void sweep(const struct poisson *p)
{
    const int n = p->ny;
    const float *u = p->u;
    const float *rhs = p->rhs;
    float *next = p->next;

    for (int i = 1; i < p->nx - 1; i++)
        for (int j = 1; j < n - 1; j++)
            next[i * n + j] =
                0.2f * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]) +
                0.05f * (u[(i - 1) * n + j - 1] + u[(i - 1) * n + j + 1] + u[(i + 1) * n + j - 1] +
                         u[(i + 1) * n + j + 1]) -
                rhs[i * n + j];
}

void poisson_solve(struct poisson *p, int iterations)
{
    for (int it = 0; it < iterations; it++) {
        sweep(p);
        float *tmp = p->u;
        p->u = p->next;
        p->next = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *next = corpus_floats("next", corpus_points(c.nx, c.ny, 1));
        float *rhs = corpus_floats("rhs", corpus_points(c.nx, c.ny, 1));
        struct poisson p = {c.nx, c.ny, rhs, u, next};
        poisson_solve(&p, c.steps);
        corpus_value("u", p.u == u);
        corpus_value("next", p.next == next);
        corpus_end();
    }
    return 0;
}
