/* Life on a torus of one size, neighbours found by the remainder of a sum that is never negative. */
#include "corpus.h"

enum { N = 45, M = 60 };

static int alive(const int *world, int i, int j)
{
    int count = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
            if (di || dj)
                count += world[(i + N + di) % N * M + (j + M + dj) % M];
    return count;
}

void live(int *now, int *next, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++) {
                int count = alive(now, i, j);
                next[i * M + j] = now[i * M + j] ? count == 2 || count == 3 : count == 3;
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
        int *a = corpus_ints("a", N * M), *b = corpus_ints("b", N * M);
        for (int k = 0; k < N * M; k++)
            a[k] &= 1;
        live(a, b, c.steps);
        corpus_end();
    }
    return 0;
}
