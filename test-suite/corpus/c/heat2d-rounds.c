/* Time loops inside a loop over rounds: between them somebody looks at single cells, a row is written now and then, a grid
   is given new memory, and a work array of the round's own lies where the next round's will. */
#include "corpus.h"

static double seen;

/* A row of the grid, for the round that it is in. */
static void stir(double *row, int m, int round)
{
    for (int j = 0; j < m; j++)
        row[j] = 0.5 * row[j] + 0.01 * round;
}

CORPUS_HELPER int heat(double **grid, double *v, const double *source, int n, int m, int rounds)
{
    double *u = *grid;
    int most = rounds < 12 ? rounds : 12, round;

    for (round = 0; round < most; round++) {
        double work[n][m];
        memcpy(work, source, sizeof work);
        for (int t = 0; t < 3 + round % 4; t++) {
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                           u[i * m + j + 1]) +
                                   0.125 * work[i][j];
            double *tmp = u;
            u = v;
            v = tmp;
        }
        seen += u[n / 2 * m + m / 2];
        if (round % 3 == 1)
            stir(u + n / 3 * m, m, round);
        for (int t = 0; t < 4; t++) {
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    v[i * m + j] = u[i * m + j] + 0.125 * (work[i - 1][j] - u[i * m + j]);
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    u[i * m + j] = v[i * m + j];
        }
        if (round % 4 == 2) {
            size_t bytes = (size_t)n * (size_t)m * sizeof *u;
            double *w = malloc(bytes);
            memcpy(w, u, bytes);
            memcpy(u, v, bytes);
            free(v);
            v = u;
            u = w;
        }
        if (u[n * m - 1] > 80.0 || (round == 9 && m % 2))
            break;
    }
    *grid = u;
    memcpy(v, u, (size_t)m * sizeof *u);
    free(v);
    return round;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        const double *source = corpus_doubles("source", points);
        int rounds = 0;
        if (points) {
            double *u = malloc(points * sizeof *u), *v = malloc(points * sizeof *v);
            memcpy(u, first, points * sizeof *u);
            memcpy(v, second, points * sizeof *v);
            rounds = heat(&u, v, source, c.nx, c.ny, c.steps);
            memcpy(first, u, points * sizeof *u);
            free(u);
        }
        corpus_value("rounds", rounds);
        corpus_value("seen", (int64_t)(seen * 1e6));
        corpus_end();
    }
    return 0;
}
