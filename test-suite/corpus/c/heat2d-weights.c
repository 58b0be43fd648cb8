/* Two fields change places whole, with what stands beside their data: each has a weight of its own. */
#include "corpus.h"

struct field {
    double *data;
    int nx, ny;
    double weight;
};

struct simulation {
    struct field now, next;
};

CORPUS_HELPER void relax(struct simulation *s, int steps)
{
    int n = s->now.nx, m = s->now.ny;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                s->next.data[i * m + j] =
                    s->now.weight * (s->now.data[(i - 1) * m + j] + s->now.data[(i + 1) * m + j] +
                                     s->now.data[i * m + j - 1] + s->now.data[i * m + j + 1]);
        struct field last = s->now;
        s->now = s->next;
        s->next = last;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct simulation s = {{corpus_doubles("a", points), c.nx, c.ny, 0.25}, {corpus_doubles("b", points), c.nx, c.ny, 0.2}};
        relax(&s, c.steps);
        corpus_value("weight", s.now.weight > 0.22);
        corpus_end();
    }
    return 0;
}
