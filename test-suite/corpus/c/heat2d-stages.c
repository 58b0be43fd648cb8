/* Heun's method: the two stages of a step have their slopes in arrays of variable length. */
#include "corpus.h"

static void slope(int n, int m, double k[n][m], double u[n][m])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            k[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j];
}

static void step(int n, int m, double u[n][m], double dt)
{
    double first[n][m], second[n][m], guess[n][m];
    slope(n, m, first, u);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            guess[i][j] = u[i][j];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            guess[i][j] += dt * first[i][j];
    slope(n, m, second, guess);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            u[i][j] += 0.5 * dt * (first[i][j] + second[i][j]);
}

void run(int n, int m, double u[n][m], int steps)
{
    for (int t = 0; t < steps; t++)
        step(n, m, u, 0.1);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        run(c.nx, c.ny, (void *)corpus_doubles("u", corpus_points(c.nx, c.ny, 1)), c.steps);
        corpus_end();
    }
    return 0;
}
