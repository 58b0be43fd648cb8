/* All is global, as in old codes: grids, sizes, counters, and the neighbours that each point works out. Now and then a line is
 * printed, and whoever called looks at the counters afterwards. */
#include "corpus.h"

int i, j, ip, jp, n, m;
double *u, *v;

static void step(void)
{
    for (i = 1; i < n - 1; i++)
        for (j = 1; j < m - 1; j++) {
            ip = i + 1;
            jp = j + 1;
            v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[ip * m + j] + u[i * m + j - 1] + u[i * m + jp]);
        }
    for (i = 1; i < n - 1; i++)
        for (j = 1; j < m - 1; j++)
            u[i * m + j] = v[i * m + j];
}

CORPUS_HELPER void heat(int steps)
{
    for (int t = 0; t < steps; t++) {
        step();
        if (t % 5 == 4)
            printf("%d\n", t);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        n = c.nx, m = c.ny;
        i = j = ip = jp = -1;
        u = corpus_doubles("u", corpus_points(n, m, 1));
        v = corpus_doubles("v", corpus_points(n, m, 1));
        heat(c.steps);
        corpus_value("i", i);
        corpus_value("j", j);
        corpus_value("ip", ip);
        corpus_value("jp", jp);
        corpus_end();
    }
    return 0;
}
