/* Waves in cells that are structures; the walls are copies of whole cells, turned round. */
#include "corpus.h"

struct state {
    double h, hu, hv;
};

static void walls(struct state *q, int n, int m)
{
    for (int j = 0; j < m; j++) {
        q[j] = q[m + j];
        q[j].hu = -q[j].hu;
        q[(n - 1) * m + j] = q[(n - 2) * m + j];
        q[(n - 1) * m + j].hu = -q[(n - 1) * m + j].hu;
    }
    for (int i = 0; i < n; i++) {
        q[i * m] = q[i * m + 1];
        q[i * m].hv = -q[i * m].hv;
        q[i * m + m - 1] = q[i * m + m - 2];
        q[i * m + m - 1].hv = -q[i * m + m - 1].hv;
    }
}

void flow(struct state *q, struct state *next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                struct state e = q[(i + 1) * m + j], w = q[(i - 1) * m + j];
                struct state o = q[i * m + j + 1], s = q[i * m + j - 1];
                struct state *c = &next[i * m + j];
                c->h = 0.25 * (e.h + w.h + o.h + s.h) - 0.1 * (e.hu - w.hu + o.hv - s.hv);
                c->hu = 0.25 * (e.hu + w.hu + o.hu + s.hu) - 0.1 * (e.h - w.h);
                c->hv = 0.25 * (e.hv + w.hv + o.hv + s.hv) - 0.1 * (o.h - s.h);
            }
        walls(next, n, m);
        struct state *tmp = q;
        q = next;
        next = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *q = corpus_doubles("q", corpus_points(c.nx, c.ny, 3));
        double *next = corpus_doubles("next", corpus_points(c.nx, c.ny, 3));
        flow((struct state *)q, (struct state *)next, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
