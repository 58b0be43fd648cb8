/* Two species that feed each other, both updated in place, in one pass over the grid. */
#include "corpus.h"

void feed(double *prey, double *hunter, int n, int m, double birth, double death, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double before = prey[i * m + j];
                prey[i * m + j] = before + birth * before - 0.01 * hunter[i * m + j];
                hunter[i * m + j] = hunter[i * m + j] * death + 0.02 * before;
            }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *prey = corpus_doubles("prey", corpus_points(c.nx, c.ny, 1));
        double *hunter = corpus_doubles("hunter", corpus_points(c.nx, c.ny, 1));
        feed(prey, hunter, c.nx, c.ny, 0.03, 0.9, c.steps);
        corpus_end();
    }
    return 0;
}
