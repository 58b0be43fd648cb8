/* Five points; pointers and sizes come out of a structure and go back at the end. */
#include "corpus.h"

struct field {
    long nx, ny;
    float *cur;
    float *old;
};

void advance(struct field *f, int steps)
{
    float *cur = f->cur;
    float *old = f->old;
    const long nx = f->nx;
    const long ny = f->ny;

    for (int t = 0; t < steps; t++) {
        float *swap = old;
        old = cur;
        cur = swap;
        for (long i = 1; i < nx - 1; i++)
            for (long j = 1; j < ny - 1; j++)
                cur[i * ny + j] = 0.6f * old[i * ny + j] +
                                  0.1f * (old[(i - 1) * ny + j] + old[(i + 1) * ny + j] +
                                          old[i * ny + j - 1] + old[i * ny + j + 1]);
    }
    f->cur = cur;
    f->old = old;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *a = corpus_floats("a", corpus_points(c.nx, c.ny, 1));
        float *b = corpus_floats("b", corpus_points(c.nx, c.ny, 1));
        struct field f = {c.nx, c.ny, a, b};
        advance(&f, c.steps);
        corpus_value("cur is a", f.cur == a);
        corpus_value("old is b", f.old == b);
        corpus_end();
    }
    return 0;
}
