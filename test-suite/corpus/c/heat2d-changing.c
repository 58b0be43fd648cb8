/* The step is a member of a structure, and changes it: from some step on another function steps. Nobody may go on with the one
 * that was there when the loop began. */
#include "corpus.h"

struct solver {
    double *now, *next;
    int n, m, until;
    void (*step)(struct solver *);
};

static void average(struct solver *s)
{
    int m = s->m;
    for (int i = 1; i < s->n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            s->next[i * m + j] = 0.25 * (s->now[(i - 1) * m + j] + s->now[(i + 1) * m + j] + s->now[i * m + j - 1] +
                                         s->now[i * m + j + 1]);
}

static void begin(struct solver *s)
{
    int m = s->m;
    for (int i = 1; i < s->n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            s->next[i * m + j] = 0.5 * s->now[i * m + j] + 0.25 * (s->now[(i - 1) * m + j] + s->now[(i + 1) * m + j]);
    if (--s->until <= 0)
        s->step = average;
}

__attribute__((noinline)) static void run(struct solver *s, int steps)
{
    for (int t = 0; t < steps; t++) {
        s->step(s);
        double *last = s->now;
        s->now = s->next;
        s->next = last;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        /* Where there is no step, nobody looks at the solver. */
        run(NULL, 0);
        if (c.nx >= 1 && c.ny >= 1) {
            struct solver s = { a, b, c.nx, c.ny, c.steps / 3, begin };
            run(&s, c.steps);
            corpus_value("a is the last", s.now == a);
            corpus_value("steps left", s.until);
        }
        corpus_end();
    }
    return 0;
}
