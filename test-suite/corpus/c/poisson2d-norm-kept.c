/* Poisson's equation until the norm of the change is small; what it was at last is kept beside the fields, which change
   places in memory before anybody asks. */
#include "corpus.h"
#include <math.h>

struct problem {
    int n, m;
    double *now, *next, *source;
    double norm;
};

static void exchange(struct problem *p)
{
    double *tmp = p->now;
    p->now = p->next;
    p->next = tmp;
}

__attribute__((noinline)) static int solve(struct problem *p, int steps, double tolerance)
{
    double norm = 2.0 * tolerance;
    int t;
    for (t = 0; t < steps && norm > tolerance; t++) {
        double sum = 0.0;
        for (int i = 1; i < p->n - 1; i++)
            for (int j = 1; j < p->m - 1; j++) {
                int at = i * p->m + j;
                double new = 0.25 * (p->now[at - p->m] + p->now[at + p->m] + p->now[at - 1] + p->now[at + 1] +
                                     p->source[at]);
                double d = new - p->now[at];
                sum += d * d;
                p->next[at] = new;
            }
        norm = sqrt(sum / (p->n * p->m));
        exchange(p);
    }
    p->norm = norm;
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct problem p = {c.nx, c.ny, corpus_doubles("now", points), corpus_doubles("next", points),
                            corpus_doubles("source", points), 0.0};
        double *norm = corpus_doubles("norm", 1);
        int taken = 0;
        if (points)
            taken = solve(&p, c.steps, 0.05);
        corpus_value("taken", taken);
        *norm = p.norm;
        corpus_end();
    }
    return 0;
}
