/* Two reasons to stop, or to say something, in one sweep, and a copy back behind it. */
#include "corpus.h"

#include <stdio.h>

enum { ROOM = 4000 };

int advect(double *u, double *v, int n, int steps, double c, char *text)
{
    int used = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++) {
            v[i] = u[i] - c * (u[i] - u[i - 1]);
            if (v[i] > 60.0 && used < ROOM - 40)
                used += snprintf(text + used, 40, "+%d %d\n", t, i);
            if (!(v[i] > -70.0))
                return used;
        }
        for (int i = 1; i < n; i++)
            u[i] = v[i];
    }
    return -used;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, 1, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *used = corpus_doubles("used", 1);
        char *text = (char *)corpus_octets("text", ROOM);
        *used = advect(u, v, c.nx, c.steps, 0.7, text);
        corpus_end();
    }
    return 0;
}
