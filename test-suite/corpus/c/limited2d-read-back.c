/* What was just stored is read back, changed under a condition, and limited. */
#include "corpus.h"

struct plate {
    double *now, *next;
};

void heat(struct plate *p, const double *source, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                p->next[i * m + j] = 0.25 * (p->now[(i - 1) * m + j] + p->now[(i + 1) * m + j] +
                                             p->now[i * m + j - 1] + p->now[i * m + j + 1]);
                if (source[i * m + j] > 0.0)
                    p->next[i * m + j] += 0.01 * source[i * m + j];
                if (p->next[i * m + j] > 1.0)
                    p->next[i * m + j] = 1.0;
            }
        double *tmp = p->now;
        p->now = p->next;
        p->next = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct plate p = {corpus_doubles("now", corpus_points(c.nx, c.ny, 1)),
                          corpus_doubles("next", corpus_points(c.nx, c.ny, 1))};
        double *source = corpus_doubles("source", corpus_points(c.nx, c.ny, 1));
        heat(&p, source, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
