/* Heat in whole numbers on a ring whose size is looked up in each step, and what each step writes down: beside everything, over that
   size, and among the points. */
#include "corpus.h"

struct params {
    int steps, n, left[6];
};

static void diffuse(const struct params p, const int *g, int *h)
{
    for (int i = 0; i < p.n; i++) {
        int l = i == 0 ? p.n - 1 : i - 1, r = (i + 1) % p.n;
        h[i] = (g[l] + 2 * g[i] + g[r]) / 4;
    }
}

static void warm(const struct params p, int *g, const int *h)
{
    for (int i = 0; i < p.n; i++)
        g[i] = h[i] + i % 3;
}

static int above(const struct params p, const int *g)
{
    int count = 0;
    for (int i = 0; i < p.n; i++)
        if (g[i] > 100)
            count++;
    return count;
}

__attribute__((noinline)) void heat(struct params *p, int *g, int *h, int *counts, int steps)
{
    for (int t = 0; t < steps; t++) {
        diffuse(*p, g, h);
        warm(*p, g, h);
        counts[t] = 3 + above(*p, g) / 2;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int n = c.nx, further = 7;
        int *g = corpus_ints("g", corpus_points(n, 1, 1)), *h = corpus_ints("h", corpus_points(n, 1, 1));
        /* Sizes, then room for what is written down. */
        int *all = corpus_ints("all", sizeof(struct params) / sizeof(int) + further + corpus_points(c.steps, 1, 1));
        struct params *p = (struct params *)all;
        int *counts = all + sizeof(struct params) / sizeof(int) + further;
        p->n = n;
        heat(p, g, h, counts, c.steps);
        /* After a few steps the size is a count. */
        p = (struct params *)(all + further);
        p->n = n;
        if (n > 8)
            heat(p, g, h, all, c.steps);
        p->n = n;
        if (n > c.steps)
            heat(p, g, h, g + (n - c.steps) / 2, c.steps);
        corpus_end();
    }
    return 0;
}
