/* Heat on a torus of 256 rows, whose remainders are the last eight bits of a number. */
#include "corpus.h"

enum { ROWS = 256, COLUMNS = 20 };

CORPUS_HELPER void heat(float (*restrict u)[COLUMNS], float (*restrict v)[COLUMNS], int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                float around = 0.0f;
                for (int d = -1; d <= 1; d += 2)
                    around += u[(i + d + ROWS) % ROWS][j] + u[i][(j + d + COLUMNS) % COLUMNS];
                v[i][j] = 0.5f * u[i][j] + 0.125f * around;
            }
        float(*swap)[COLUMNS] = u;
        u = v;
        v = swap;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", ROWS * COLUMNS), *v = corpus_floats("v", ROWS * COLUMNS);
        heat((float(*)[COLUMNS])u, (float(*)[COLUMNS])v, c.steps);
        corpus_end();
    }
    return 0;
}
