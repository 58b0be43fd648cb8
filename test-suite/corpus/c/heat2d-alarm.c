/* Points that get too hot are written down, one after the other, and cooled; the sweep goes on. */
#include "corpus.h"

#include <math.h>
#include <stdio.h>

enum { ROOM = 6000 };

struct protocol {
    char *text;
    int used, lines;
};

void heat(float *u, float *v, int n, int m, int steps, float most, struct protocol *p)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                float x = 0.27f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                   u[i * m + j + 1]);
                if (fabsf(x) > most) {
                    if (p->used < ROOM - 100)
                        p->used += snprintf(p->text + p->used, 100, "%d: %g at %d, %d\n", t, x, i, j);
                    p->lines++;
                    x = 1.0f;
                }
                v[i * m + j] = x;
            }
        float *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *u = corpus_floats("u", points), *v = corpus_floats("v", points);
        double *lines = corpus_doubles("lines", 1);
        struct protocol p = {(char *)corpus_octets("text", ROOM), 0, 0};
        heat(u, v, c.nx, c.ny, c.steps, 45.0f, &p);
        *lines = p.lines;
        corpus_end();
    }
    return 0;
}
