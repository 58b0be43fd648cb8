/*
 * Lattice Boltzmann as courses teach it: a static array of nine planes, one for each velocity. A loop over velocities
 * collides and pushes, where the neighbour exists; the channel's ends and its walls mean planes by their number.
 */
#include "corpus.h"

#define NX 46
#define NY 37
#define Q 9

static const double ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const double ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double w[Q] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                            1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

static double f[Q][NX][NY], next[Q][NX][NY];
static double rho[NX][NY], ux[NX][NY], uy[NX][NY];

static void moments(void)
{
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++) {
            rho[i][j] = ux[i][j] = uy[i][j] = 0;
            for (int a = 0; a < Q; a++) {
                rho[i][j] += f[a][i][j];
                ux[i][j] += ex[a] * f[a][i][j];
                uy[i][j] += ey[a] * f[a][i][j];
            }
            ux[i][j] = ux[i][j] / rho[i][j];
            uy[i][j] = uy[i][j] / rho[i][j];
        }
}

static void collide(void)
{
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            for (int a = 0; a < Q; a++) {
                double along = ux[i][j] * ex[a] + uy[i][j] * ey[a];
                double square = ux[i][j] * ux[i][j] + uy[i][j] * uy[i][j];
                double rest = w[a] * rho[i][j] * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
                next[a][i][j] = f[a][i][j] - (f[a][i][j] - rest) / 0.8;
            }
}

static void push(void)
{
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            for (int a = 0; a < Q; a++) {
                int x = i + (int)ex[a], y = j + (int)ey[a];
                if (x >= 0 && x < NX && y >= 0 && y < NY)
                    f[a][x][y] = next[a][i][j];
            }
    for (int i = 1; i < NX - 1; i++) {
        f[4][i][NY - 1] = next[2][i][NY - 1];
        f[7][i][NY - 1] = next[6][i + 1][NY - 1];
        f[8][i][NY - 1] = next[5][i - 1][NY - 1];
        f[2][i][0] = next[4][i][0];
        f[6][i][0] = next[7][i + 1][0];
        f[5][i][0] = next[8][i - 1][0];
    }
    for (int j = 0; j < NY; j++) {
        f[1][0][j] = f[3][0][j] + 0.03;
        f[5][0][j] = f[7][0][j] + 0.01;
        f[8][0][j] = f[6][0][j] + 0.01;
        f[3][NX - 1][j] = f[1][NX - 1][j];
        f[6][NX - 1][j] = f[8][NX - 1][j];
        f[7][NX - 1][j] = f[5][NX - 1][j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("f", 'd', f, sizeof f);
        corpus_own("next", 'd', next, sizeof next);
        corpus_own("rho", 'd', rho, sizeof rho);
        corpus_own("ux", 'd', ux, sizeof ux);
        corpus_own("uy", 'd', uy, sizeof uy);
        for (int t = 0; t < c.steps; t++) {
            moments();
            collide();
            push();
        }
        corpus_end();
    }
    return 0;
}
