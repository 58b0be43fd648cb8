/* The mean of those neighbours that there are: one comparison asks for two coordinates at once whether they are negative, and,
 * of sizes that are powers of two, whether both are below them. */
#include "corpus.h"

enum { SIDE = 32 };

CORPUS_HELPER void smooth(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                double sum = 0.0;
                for (int k = -1; k <= 1; k++)
                    for (int l = -1; l <= 1; l++) {
                        int a = i + k, b = j + l;
                        if (a < 0 || b < 0 || a >= n || b >= m)
                            continue;
                        sum += u[a * m + b];
                    }
                v[i * m + j] = 0.11 * sum;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                u[i * m + j] = v[i * m + j];
    }
}

CORPUS_HELPER void spread(double u[SIDE][SIDE], double v[SIDE][SIDE], int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                double sum = u[i][j];
                for (int k = -1; k <= 1; k += 2) {
                    unsigned a = i + k, b = j + k;
                    if (a < SIDE && b < SIDE)
                        sum += 0.25 * u[a][b];
                    if (a > SIDE - 1 || (unsigned)j > SIDE - 1)
                        continue;
                    sum -= 0.125 * u[a][j];
                }
                v[i][j] = sum;
            }
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                u[i][j] = 0.5 * v[i][j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *a = corpus_doubles("a", SIDE * SIDE), *b = corpus_doubles("b", SIDE * SIDE);
        smooth(u, v, c.nx, c.ny, c.steps);
        spread((double (*)[SIDE])a, (double (*)[SIDE])b, c.steps);
        corpus_end();
    }
    return 0;
}
