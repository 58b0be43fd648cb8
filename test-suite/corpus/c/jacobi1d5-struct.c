/* Five points; the two arrays live in a structure and change roles there. */
#include "corpus.h"

struct rod {
    long n;
    float *now;
    float *next;
};

void evolve(struct rod *r, long steps)
{
    for (long t = 0; t < steps; t++) {
        for (long i = 2; i < r->n - 2; i++)
            r->next[i] = 0.0625f * r->now[i - 2] + 0.25f * r->now[i - 1] + 0.375f * r->now[i] +
                         0.25f * r->now[i + 1] + 0.0625f * r->now[i + 2];
        float *tmp = r->now;
        r->now = r->next;
        r->next = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *a = corpus_floats("a", corpus_points(c.nx, 1, 1));
        float *b = corpus_floats("b", corpus_points(c.nx, 1, 1));
        struct rod r = {c.nx, a, b};
        evolve(&r, c.steps);
        corpus_value("now is a", r.now == a);
        corpus_value("next is b", r.next == b);
        corpus_end();
    }
    return 0;
}
