/* Five points, arrays of a fixed size, two time levels by t%2. */
#include "corpus.h"

#define MAXN 150

static float u[2][MAXN][MAXN];

void solve(int n, int m, int steps)
{
    int t, i, j;

    for (t = 0; t < steps; t++)
        for (i = 1; i < n - 1; i++)
            for (j = 1; j < m - 1; j++)
                u[(t + 1) % 2][i][j] =
                    0.125f * (u[t % 2][i + 1][j] + u[t % 2][i - 1][j] + u[t % 2][i][j + 1] +
                              u[t % 2][i][j - 1]) +
                    0.5f * u[t % 2][i][j];
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("u", 'f', u, sizeof u);
        solve(c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
