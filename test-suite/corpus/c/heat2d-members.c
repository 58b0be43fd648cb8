/* Two grids and what they are swept with are members of one structure; each sweep is a function of its own. */
#include "corpus.h"

enum { MOST = 160 };

static struct {
    double rate, u[MOST][MOST], v[MOST][MOST];
} field;

static void sweep(int n, int m)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            field.v[i][j] = field.u[i][j] + field.rate * (field.u[i - 1][j] + field.u[i + 1][j] + field.u[i][j - 1] +
                                                          field.u[i][j + 1] - 4.0 * field.u[i][j]);
}

static void keep(int n, int m)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            field.u[i][j] = field.v[i][j];
}

void heat(int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep(n, m);
        keep(n, m);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", MOST * MOST), *v = corpus_doubles("v", MOST * MOST);
        memcpy(field.u, u, sizeof field.u);
        memcpy(field.v, v, sizeof field.v);
        field.rate = 0.1;
        heat(c.nx, c.ny, c.steps);
        memcpy(u, field.u, sizeof field.u);
        memcpy(v, field.v, sizeof field.v);
        corpus_end();
    }
    return 0;
}
