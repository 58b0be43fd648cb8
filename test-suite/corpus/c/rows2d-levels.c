/* Fields in a table of tables of rows; variables say which of them a run works on. */
#include "corpus.h"

struct model {
    double ***field;
    int n, m;
};

static double **rows(const char *name, int n, int m)
{
    double *all = corpus_doubles(name, corpus_points(n, m, 1));
    double **row = malloc((size_t)(n > 0 ? n : 1) * sizeof *row);
    for (int i = 0; i < n; i++)
        row[i] = m > 0 ? all + (size_t)i * (size_t)m : all;
    return row;
}

void diffuse(struct model *w, int now, int next, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < w->n - 1; i++)
            for (int j = 1; j < w->m - 1; j++)
                w->field[next][i][j] = 0.6 * w->field[now][i][j] +
                                       0.1 * (w->field[now][i - 1][j] + w->field[now][i + 1][j] +
                                              w->field[now][i][j - 1] + w->field[now][i][j + 1]);
        for (int i = 1; i < w->n - 1; i++)
            for (int j = 1; j < w->m - 1; j++)
                w->field[now][i][j] = w->field[next][i][j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double **field[3] = {rows("a", c.nx, c.ny), rows("b", c.nx, c.ny), rows("c", c.nx, c.ny)};
        struct model w = {field, c.nx, c.ny};
        int now = c.nx % 3;
        diffuse(&w, now, (now + 2) % 3, c.steps);
        corpus_end();
        for (int i = 0; i < 3; i++)
            free(field[i]);
    }
    return 0;
}
