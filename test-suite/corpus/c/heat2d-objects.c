/* Two fields change places by the pointers to them, which stand in a structure: what a field's data pointer is comes from
   whichever it is. */
#include "corpus.h"

struct field {
    double *data;
    double weight;
};

struct simulation {
    struct field *now, *next;
    int nx, ny;
};

CORPUS_HELPER void diffuse(struct simulation *s, int steps)
{
    int n = s->nx, m = s->ny;
    for (int t = 0; t < steps; t++) {
        const double *u = s->now->data;
        double *v = s->next->data;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        struct field *last = s->now;
        s->now = s->next;
        s->next = last;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct field a = {corpus_doubles("a", points), 0.5}, b = {corpus_doubles("b", points), 0.25};
        struct simulation s = {&a, &b, c.nx, c.ny};
        diffuse(&s, c.steps);
        corpus_value("turned", s.now == &b);
        corpus_end();
    }
    return 0;
}
