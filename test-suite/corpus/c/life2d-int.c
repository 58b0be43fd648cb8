/* Conway's game of life on integers, with the rules as people write them. */
#include "corpus.h"

static int alive_around(const int *u, int m, int i, int j)
{
    int alive = 0;
    for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++)
            if (a != 0 || b != 0)
                alive += u[(i + a) * m + j + b];
    return alive;
}

void life(int *u, int *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int alive = alive_around(u, m, i, j);
                if (u[i * m + j] == 1 && (alive < 2 || alive > 3))
                    v[i * m + j] = 0;
                else if (u[i * m + j] == 0 && alive == 3)
                    v[i * m + j] = 1;
                else
                    v[i * m + j] = u[i * m + j];
            }
        int *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        int *u = corpus_ints("u", points), *v = corpus_ints("v", points);
        for (size_t i = 0; i < points; i++)
            u[i] = v[i] = u[i] & 1;
        life(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
