/* Heat in a structure with its clock: each step prints a line, goes on in time and exchanges the fields, in this order; every few
   steps look at a point before that. */
#include "corpus.h"
#include <stdio.h>

struct heat {
    double *now, *next;
    int n, m;
    double time, step;
};

__attribute__((noinline)) static double run(struct heat *h, int steps)
{
    double seen = 0.0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < h->n - 1; i++)
            for (int j = 1; j < h->m - 1; j++) {
                int at = i * h->m + j;
                h->next[at] = h->now[at] + h->step * (h->now[at - h->m] + h->now[at + h->m] + h->now[at - 1] +
                                                      h->now[at + 1] - 4.0 * h->now[at]);
            }
        h->time += 0.5 * h->step;
        printf("step %d, time %g\n", t, h->time);
        double *kept = h->now;
        h->now = h->next;
        h->next = kept;
        if (t % 9 == 4)
            seen += h->now[(h->n / 2) * h->m + h->m / 2];
    }
    return seen;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct heat h = {corpus_doubles("now", points), corpus_doubles("next", points), c.nx, c.ny, 0.0, 0.1};
        double *seen = corpus_doubles("seen", 2);
        if (points)
            seen[0] = run(&h, c.steps);
        seen[1] = h.time;
        corpus_end();
    }
    return 0;
}
