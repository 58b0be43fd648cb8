/* Warmth goes round a coil: beside the end of each turn lies the next one. Its strength is steered from outside. */
#include "corpus.h"

struct cell {
    float warm, seen;
};

static void coil(struct cell *cell, struct cell *next, const float *fed, size_t n, size_t m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (size_t i = n; i-- > 0;) {
            for (size_t j = m; j-- > 0;) {
                size_t up = i > 0 ? i - 1 : 0, right = j + 1 < m ? j + 1 : m - 1;
                next[i * m + j].warm = 0.5f * (cell[i * m + (j > 1 ? j - 2 : 0)].warm + cell[up * m + right].seen);
                next[i * m + j].seen = 0.25f * (cell[up * m + j].warm + cell[i * m + right].seen);
            }
        }
        next[(n - 1) * m + m / 2].warm = fed[t];
        struct cell *tmp = cell;
        cell = next;
        next = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct cell *cell = (struct cell *)corpus_floats("cell", corpus_points(c.nx, c.ny, 2));
        struct cell *next = (struct cell *)corpus_floats("next", corpus_points(c.nx, c.ny, 2));
        float *fed = corpus_floats("fed", c.steps > 0 ? c.steps : 1);
        coil(cell, next, fed, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
