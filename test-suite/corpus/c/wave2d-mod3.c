/* Wave on a membrane: three time levels by t%3, arrays of a fixed size. */
#include "corpus.h"

#define MAXN 150

static double u[3][MAXN][MAXN];

void membrane(int n, int m, int nt, double c2)
{
    for (int t = 1; t <= nt; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[(t + 1) % 3][i][j] =
                    2.0 * u[t % 3][i][j] - u[(t - 1) % 3][i][j] +
                    c2 * (u[t % 3][i - 1][j] + u[t % 3][i + 1][j] + u[t % 3][i][j - 1] +
                          u[t % 3][i][j + 1] - 4.0 * u[t % 3][i][j]);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("u", 'd', u, sizeof u);
        membrane(c.nx, c.ny, c.steps, 0.23);
        corpus_end();
    }
    return 0;
}
