/* Heat in a block: what a step works in is made in the time loop's body. */
#include "corpus.h"

void run(int n, int m, int k, float u[n][m][k], int steps)
{
    for (int t = 0; t < steps; t++) {
        float v[n][m][k];
        for (int x = 1; x < n - 1; x++)
            for (int y = 1; y < m - 1; y++)
                for (int z = 1; z < k - 1; z++)
                    v[x][y][z] = u[x][y][z] + 0.1f * (u[x - 1][y][z] + u[x + 1][y][z] + u[x][y - 1][z] + u[x][y + 1][z] +
                                                      u[x][y][z - 1] + u[x][y][z + 1] - 6.0f * u[x][y][z]);
        for (int x = 1; x < n - 1; x++)
            for (int y = 1; y < m - 1; y++)
                for (int z = 1; z < k - 1; z++)
                    u[x][y][z] = v[x][y][z];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        run(c.nx, c.ny, c.nz, (void *)corpus_floats("u", corpus_points(c.nx, c.ny, c.nz)), c.steps);
        corpus_end();
    }
    return 0;
}
