/* Each sweep of a step is timed; the fields stand in a structure, which is looked into again behind each clock. */
#include "corpus.h"
#include <time.h>

struct plate {
    double *now, *next;
    int n, m;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double heat(struct plate *p, int steps)
{
    double spent = 0.0;
    for (int t = 0; t < steps; t++) {
        double start = seconds();
        for (int i = 1; i < p->n - 1; i++)
            for (int j = 1; j < p->m - 1; j++)
                p->next[i * p->m + j] = 0.25 * (p->now[(i - 1) * p->m + j] + p->now[(i + 1) * p->m + j] +
                                                p->now[i * p->m + j - 1] + p->now[i * p->m + j + 1]);
        spent += seconds() - start;
        start = seconds();
        for (int i = 1; i < p->n - 1; i++) {
            p->next[i * p->m] = p->next[i * p->m + 1];
            p->next[i * p->m + p->m - 1] = p->next[i * p->m + p->m - 2];
        }
        spent += seconds() - start;
        start = seconds();
        for (int i = 1; i < p->n - 1; i++)
            for (int j = 0; j < p->m; j++)
                p->now[i * p->m + j] = p->next[i * p->m + j];
        spent += seconds() - start;
    }
    return spent;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct plate p = {corpus_doubles("now", corpus_points(c.nx, c.ny, 1)),
                          corpus_doubles("next", corpus_points(c.nx, c.ny, 1)), c.nx, c.ny};
        if (heat(&p, c.steps) < 0.0)
            puts("a clock went backwards");
        corpus_end();
    }
    return 0;
}
