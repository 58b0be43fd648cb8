/* The game of life in structures that are swapped: rows of integers, sizes read again and again beside them. */
#include "corpus.h"

struct world {
    int **cell;
    int n, m;
};

static struct world world(const char *name, int n, int m)
{
    struct world w = {malloc((size_t)(n > 0 ? n : 1) * sizeof(int *)), n, m};
    int *all = corpus_ints(name, corpus_points(n, m, 1));
    for (int i = 0; i < n; i++)
        w.cell[i] = all + (size_t)i * (size_t)m;
    for (int i = 0; i < n * m; i++)
        all[i] &= 1;
    return w;
}

static int around(const struct world *w, int i, int j)
{
    int **c = w->cell;
    return c[i - 1][j - 1] + c[i - 1][j] + c[i - 1][j + 1] + c[i][j - 1] + c[i][j + 1] +
           c[i + 1][j - 1] + c[i + 1][j] + c[i + 1][j + 1];
}

void live(struct world *now, struct world *next, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < now->n - 1; i++)
            for (int j = 1; j < now->m - 1; j++) {
                int alive = around(now, i, j);
                int next_state = now->cell[i][j];
                if (alive < 2 || alive > 3)
                    next_state = 0;
                else if (alive == 3)
                    next_state = 1;
                next->cell[i][j] = next_state;
            }
        struct world *tmp = now;
        now = next;
        next = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        struct world now = world("now", c.nx, c.ny), next = world("next", c.nx, c.ny);
        live(&now, &next, c.steps);
        corpus_end();
        free(now.cell);
        free(next.cell);
    }
    return 0;
}
