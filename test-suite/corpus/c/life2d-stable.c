/* The game of life until nothing changes any more, or the cells' number of changes is looked at no further than that. */
#include "corpus.h"

int life(uint8_t *now, uint8_t *next, int n, int m, int most)
{
    int t = 0;
    while (t < most) {
        int changes = 0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const uint8_t *c = &now[i * m + j];
                int around = c[-m - 1] + c[-m] + c[-m + 1] + c[-1] + c[1] + c[m - 1] + c[m] + c[m + 1];
                next[i * m + j] = around == 3 || (around == 2 && *c);
                if (next[i * m + j] != *c)
                    changes++;
            }
        uint8_t *swap = now;
        now = next;
        next = swap;
        t++;
        if (changes == 0)
            break;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        uint8_t *a = corpus_octets("a", points), *b = corpus_octets("b", points);
        for (size_t i = 0; i < points; i++)
            a[i] = b[i] = (i * 2654435761u >> 7) % 5 == 0 && i % 7 < 3;
        corpus_value("steps", life(a, b, c.nx, c.ny, c.steps));
        corpus_end();
    }
    return 0;
}
