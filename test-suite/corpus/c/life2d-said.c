/* Which of two worlds is the present one stands in a variable of the program, and each step is told in words. */
#include "corpus.h"

enum { MOST = 160 };

char worlds[2][(MOST + 2) * (MOST + 2)];
int now = 0;
int rows, columns;

static char told[64];

static int around(int at)
{
    const char *w = worlds[now];
    int wide = columns + 2;
    return w[at - wide - 1] + w[at - wide] + w[at - wide + 1] + w[at - 1] + w[at + 1] + w[at + wide - 1] +
           w[at + wide] + w[at + wide + 1];
}

static void generation(void)
{
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= columns; j++) {
            int at = i * (columns + 2) + j, n = around(at);
            if (worlds[now][at])
                worlds[!now][at] = n == 2 || n == 3;
            else
                worlds[!now][at] = n == 3;
        }
    now = !now;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *seen = corpus_doubles("seen", sizeof worlds);
        double *words = corpus_doubles("words", sizeof told);
        rows = c.nx;
        columns = c.ny;
        for (size_t k = 0; k < sizeof worlds; k++)
            (&worlds[0][0])[k] = 0;
        for (int i = 1; i <= rows; i++)
            for (int j = 1; j <= columns; j++)
                worlds[0][i * (columns + 2) + j] = (i * 7 + j * 5 + i * j % 3) % 4 == 0;
        now = 0;
        for (int t = 0; t < c.steps; t++) {
            snprintf(told, sizeof told, "generation %d of %d", t, c.steps);
            generation();
        }
        for (size_t k = 0; k < sizeof worlds; k++)
            seen[k] = (&worlds[0][0])[k];
        for (size_t k = 0; k < sizeof told; k++)
            words[k] = told[k];
        corpus_value("now", now);
        corpus_end();
    }
    return 0;
}
