/* Gradient of a plane in double precision, two time levels by t%2. */
#include "corpus.h"

#include <math.h>

#define MAXN 150

static double g[2][MAXN][MAXN];

void gradient(int n, int m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                g[(t + 1) % 2][i][j] =
                    g[t % 2][i][j] +
                    1.0 / sqrt(0.0001 +
                               (g[t % 2][i][j] - g[t % 2][i - 1][j]) * (g[t % 2][i][j] - g[t % 2][i - 1][j]) +
                               (g[t % 2][i][j] - g[t % 2][i + 1][j]) * (g[t % 2][i][j] - g[t % 2][i + 1][j]) +
                               (g[t % 2][i][j] - g[t % 2][i][j - 1]) * (g[t % 2][i][j] - g[t % 2][i][j - 1]) +
                               (g[t % 2][i][j] - g[t % 2][i][j + 1]) * (g[t % 2][i][j] - g[t % 2][i][j + 1]));
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("g", 'd', g, sizeof g);
        gradient(c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
