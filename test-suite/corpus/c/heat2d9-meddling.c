/* Side code that does its worst: writes into the grid, before the sweep and after it, changes a coefficient, and leaves
   when the grid says so. Pointers are swapped in a structure. */
#include "corpus.h"

struct field {
    float *now, *next;
    float weight;
    int left;
};

CORPUS_HELPER void heat(struct field *f, int n, int m, int steps, int every)
{
    for (int t = 0; t < steps; t++) {
        if (t % every == 1)
            f->now[n / 2 * m + m / 3] += 1.0f;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                f->next[i * m + j] =
                    f->now[i * m + j] +
                    f->weight * (f->now[(i - 1) * m + j - 1] + f->now[(i - 1) * m + j] +
                                 f->now[(i - 1) * m + j + 1] + f->now[i * m + j - 1] +
                                 f->now[i * m + j + 1] + f->now[(i + 1) * m + j - 1] +
                                 f->now[(i + 1) * m + j] + f->now[(i + 1) * m + j + 1] -
                                 8.0f * f->now[i * m + j]);
        float *tmp = f->now;
        f->now = f->next;
        f->next = tmp;
        if (t % (2 * every) == 2) {
            f->weight *= 0.9f;
            for (int i = 0; i < n; i++)
                f->next[i * m] = f->now[i * m] * 0.5f;
        }
        if (t % 4 == 3 && f->now[n / 3 * m + m / 2] > 40.0f) {
            f->left = t;
            break;
        }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *a = corpus_floats("a", points);
        float *b = corpus_floats("b", points);
        struct field f = {a, b, 0.1f, -1};
        if (points)
            heat(&f, c.nx, c.ny, c.steps, 1 + (c.nx + 2 * c.ny) % 5);
        corpus_value("now is a", f.now == a);
        corpus_value("left", f.left);
        corpus_value("weight", (int64_t)(f.weight * 1e6f));
        corpus_end();
    }
    return 0;
}
