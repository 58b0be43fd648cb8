/* Time and its end lie in a structure beside the grids' pointers, and are looked at in each step; steps are counted there, too. */
#include "corpus.h"

struct simulation {
    double *u, *v;
    int n, m;
    double time, end, step, spread;
    long steps;
};

static void advance(struct simulation *s)
{
    for (int i = 1; i < s->n - 1; i++)
        for (int j = 1; j < s->m - 1; j++) {
            const double *u = &s->u[i * s->m + j];
            s->v[i * s->m + j] = *u + s->spread * (u[-s->m] + u[s->m] + u[-1] + u[1] - 4.0 * *u);
        }
    double *swap = s->u;
    s->u = s->v;
    s->v = swap;
    s->time += s->step;
    s->steps++;
}

void run(struct simulation *s)
{
    while (s->time < s->end)
        advance(s);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct simulation s = {0, 0, c.nx, c.ny, 0.0, 0.125 * c.steps, 0.125, 0.1, 0};
        s.u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        s.v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        run(&s);
        corpus_value("steps", s.steps);
        corpus_value("time", (long)(1000.0 * s.time));
        corpus_end();
    }
    return 0;
}
