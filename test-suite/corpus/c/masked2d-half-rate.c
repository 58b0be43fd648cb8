/* Two fields in a structure change places in every second step only, one of which is worked on where a mask says so. */
#include "corpus.h"

struct fields {
    int n;
    float *now, *before;
};

CORPUS_HELPER void relax(struct fields *s, const uint8_t *mask, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < s->n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                float value = s->now[i * m + j];
                if (mask[i * m + j] & 2)
                    value = 0.2f * s->before[(i + 1) * m + j] + 0.2f * s->before[(i - 1) * m + j];
                s->now[i * m + j] = value;
            }
        for (int j = 0; j < m; j++)
            s->before[j] = 3;
        if (t % 2 == 0) {
            float *q = s->now;
            s->now = s->before;
            s->before = q;
        }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *u = corpus_floats("u", points), *v = corpus_floats("v", points);
        struct fields s = {c.nx, u, v};
        relax(&s, corpus_octets("mask", points), c.ny, c.steps);
        corpus_value("turned", s.now == v);
        corpus_end();
    }
    return 0;
}
