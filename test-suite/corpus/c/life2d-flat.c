/* Cells in one loop over all rows but the first and the last, which finds the ends of rows by a remainder. */
#include "corpus.h"

void live(int *now, int *next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int k = m; k < n * m - m; k++) {
            int around;
            if (k % m == 0)
                around = now[k - m] + now[k + m] + now[k + 1];
            else if (k % m == m - 1)
                around = now[k - m] + now[k + m] + now[k - 1];
            else
                around = now[k - m] + now[k + m] + now[k - 1] + now[k + 1];
            next[k] = (around + now[k]) & 3;
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
        int *now = corpus_ints("now", corpus_points(c.nx, c.ny, 1));
        int *next = corpus_ints("next", corpus_points(c.nx, c.ny, 1));
        live(now, next, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
