/* Two fields change places by global pointers to them, from which each point looks its data up. */
#include "corpus.h"

struct field {
    double *data;
    double weight;
};

static struct field *current, *other;

CORPUS_HELPER void smooth(int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                other->data[i * m + j] = 0.25 * (current->data[(i - 1) * m + j] + current->data[(i + 1) * m + j] +
                                                 current->data[i * m + j - 1] + current->data[i * m + j + 1]);
        struct field *last = current;
        current = other;
        other = last;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct field a = {corpus_doubles("a", points), 0.5}, b = {corpus_doubles("b", points), 0.25};
        current = &a;
        other = &b;
        smooth(c.nx, c.ny, c.steps);
        corpus_value("turned", current == &b);
        corpus_end();
    }
    return 0;
}
