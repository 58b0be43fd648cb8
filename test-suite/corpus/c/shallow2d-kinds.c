/* Shallow water in cells whose members are of several types: a height, two discharges, and what kind of place it is. */
#include "corpus.h"

struct cell {
    double h, hu, hv;
    int kind;
};

CORPUS_HELPER void flow(struct cell *restrict q, double *restrict h, double *restrict hu, double *restrict hv, int n,
                        int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const struct cell *e = &q[i * m + j + 1], *w = &q[i * m + j - 1];
                const struct cell *s = &q[(i + 1) * m + j], *o = &q[(i - 1) * m + j];
                int wet = q[i * m + j].kind != 0;
                h[i * m + j] = wet ? 0.25 * (e->h + w->h + s->h + o->h) - 0.01 * (e->hu - w->hu + s->hv - o->hv)
                                   : q[i * m + j].h;
                hu[i * m + j] = wet ? 0.25 * (e->hu + w->hu + s->hu + o->hu) - 0.01 * (e->h - w->h) : 0.0;
                hv[i * m + j] = wet ? 0.25 * (e->hv + w->hv + s->hv + o->hv) - 0.01 * (s->h - o->h) : 0.0;
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                q[i * m + j].h = h[i * m + j];
                q[i * m + j].hu = hu[i * m + j];
                q[i * m + j].hv = hv[i * m + j];
            }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *h = corpus_doubles("h", points), *hu = corpus_doubles("hu", points);
        double *hv = corpus_doubles("hv", points);
        struct cell *q = malloc((points ? points : 1) * sizeof *q);
        for (size_t k = 0; k < points; k++)
            q[k] = (struct cell){h[k], hu[k], hv[k], k % 11 != 3};
        flow(q, h, hu, hv, c.nx, c.ny, c.steps);
        for (size_t k = 0; k < points; k++) {
            h[k] = q[k].h + q[k].kind;
            hu[k] = q[k].hu;
            hv[k] = q[k].hv;
        }
        corpus_end();
        free(q);
    }
    return 0;
}
