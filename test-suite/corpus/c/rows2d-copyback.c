/* Row pointers in a structure; borders first, then a sweep, then a copy back. */
#include "corpus.h"

struct field {
    float **at;
    int n, m;
};

static void borders(struct field *f)
{
    for (int j = 0; j < f->m; j++) {
        f->at[0][j] = 0.5f * f->at[1][j];
        f->at[f->n - 1][j] = f->at[f->n - 2][j];
    }
    for (int i = 0; i < f->n; i++)
        f->at[i][0] = f->at[i][1];
}

static void sweep(const struct field *old, struct field *new)
{
    for (int i = 1; i < old->n - 1; i++)
        for (int j = 1; j < old->m - 1; j++)
            new->at[i][j] = 0.2f * (old->at[i][j] + old->at[i - 1][j] + old->at[i + 1][j] +
                                    old->at[i][j - 1] + old->at[i][j + 1]);
    for (int i = 1; i < old->n - 1; i++)
        for (int j = 1; j < old->m - 1; j++)
            old->at[i][j] = new->at[i][j];
}

static struct field field(const char *name, int n, int m)
{
    struct field f = {malloc((size_t)(n > 0 ? n : 1) * sizeof(float *)), n, m};
    float *all = corpus_floats(name, corpus_points(n, m, 1));
    for (int i = 0; i < n; i++)
        f.at[i] = all + (size_t)i * (size_t)m;
    return f;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct field old = field("old", c.nx, c.ny), new = field("new", c.nx, c.ny);
        for (int t = 0; t < c.steps; t++) {
            borders(&old);
            sweep(&old, &new);
        }
        corpus_end();
        free(old.at);
        free(new.at);
    }
    return 0;
}
