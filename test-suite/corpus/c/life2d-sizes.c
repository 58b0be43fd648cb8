/* Life on a torus of any size, neighbours found by the remainder of a sum that is never negative. */
#include "corpus.h"

static int alive(const int *world, int n, int m, int i, int j)
{
    int count = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
            if (di || dj)
                count += world[(i + n + di) % n * m + (j + m + dj) % m];
    return count;
}

void live(int *now, int *next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int count = alive(now, n, m, i, j);
                next[i * m + j] = now[i * m + j] ? count == 2 || count == 3 : count == 3;
            }
        int *swap = now;
        now = next;
        next = swap;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        int *a = corpus_ints("a", points), *b = corpus_ints("b", points);
        for (size_t k = 0; k < points; k++)
            a[k] &= 1;
        live(a, b, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
