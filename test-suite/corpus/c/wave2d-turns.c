/* Three time levels whose numbers go round; a probe is read now and then. */
#include "corpus.h"

double probe;

CORPUS_HELPER void look(double value)
{
    probe += value;
}

void wave(double **u, int n, int m, int steps, int *last)
{
    int before = 0, now = 1, next = 2;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[next][i * m + j] = 2.0 * u[now][i * m + j] - u[before][i * m + j] +
                                     0.2 * (u[now][(i - 1) * m + j] + u[now][(i + 1) * m + j] + u[now][i * m + j - 1] +
                                            u[now][i * m + j + 1] - 4.0 * u[now][i * m + j]);
        if (t % 7 == 4 && n > 2 && m > 2)
            look(u[next][n / 2 * m + m / 2]);
        int free = before;
        before = now;
        now = next;
        next = free;
    }
    *last = before + 10 * now + 100 * next;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int last;
        double *u[3] = {corpus_doubles("a", corpus_points(c.nx, c.ny, 1)),
                        corpus_doubles("b", corpus_points(c.nx, c.ny, 1)),
                        corpus_doubles("c", corpus_points(c.nx, c.ny, 1))};
        probe = 0.0;
        wave(u, c.nx, c.ny, c.steps, &last);
        corpus_value("last", last);
        corpus_value("probe", (int64_t)(probe * 1e6));
        corpus_end();
    }
    return 0;
}
