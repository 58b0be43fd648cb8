/* A plate that melts: the step in which a point gets too hot is the last one, and ends in the middle of its sweep. */
#include "corpus.h"

#include <math.h>

struct plate {
    int n, m;
    double *now, *next;
    double heat, worst;
    int row;
};

int run(struct plate *p, int steps)
{
    int n = p->n, m = p->m;
    for (int t = 0; t < steps; t++) {
        double *u = p->now, *v = p->next, most = 40.0 + 0.25 * t;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double x = p->heat * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                      u[i * m + j + 1]);
                if (fabs(x) > most) {
                    p->worst = x - u[i * m + j];
                    p->row = i;
                    return t * m + j;
                }
                v[i * m + j] = x;
            }
        p->now = v;
        p->next = u;
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *end = corpus_doubles("end", 4);
        struct plate p = {c.nx, c.ny, u, v, 0.26, 0.0, 0};
        end[0] = run(&p, c.steps);
        end[1] = p.worst;
        end[2] = p.row;
        end[3] = p.now == u;
        corpus_end();
    }
    return 0;
}
