/* Two-dimensional FDTD: three fields, a source along one edge. */
#include "corpus.h"

#define MAXN 150
#define MAXT 512

static double ex[MAXN][MAXN];
static double ey[MAXN][MAXN];
static double hz[MAXN][MAXN];
static double fict[MAXT];

void fdtd_2d(int tmax, int nx, int ny)
{
    int t, i, j;

    for (t = 0; t < tmax; t++) {
        for (j = 0; j < ny; j++)
            ey[0][j] = fict[t];
        for (i = 1; i < nx; i++)
            for (j = 0; j < ny; j++)
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (i = 0; i < nx; i++)
            for (j = 1; j < ny; j++)
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (i = 0; i < nx - 1; i++)
            for (j = 0; j < ny - 1; j++)
                hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("ex", 'd', ex, sizeof ex);
        corpus_own("ey", 'd', ey, sizeof ey);
        corpus_own("hz", 'd', hz, sizeof hz);
        corpus_own("fict", 'd', fict, sizeof fict);
        fdtd_2d(c.steps, c.nx, c.ny);
        corpus_end();
    }
    return 0;
}
