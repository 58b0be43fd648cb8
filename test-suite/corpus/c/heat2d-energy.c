/* Heat equation that writes down two sums of every step: the energy, and what the warm points have lost. */
#include "corpus.h"

void heat(double *u, double *v, double *energy, double *lost, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        double sum = 0.0, less = -0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                v[k] = u[k] + 0.2 * (u[k - m] + u[k - 1] - 4.0 * u[k] + u[k + 1] + u[k + m]);
                sum += v[k] * v[k];
                if (u[k] > 0.5)
                    less -= v[k] - u[k];
            }
        energy[t] = sum;
        lost[t] = less;
        double *w = u;
        u = v;
        v = w;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *v = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        double *energy = corpus_doubles("energy", corpus_points(c.steps, 1, 1));
        double *lost = corpus_doubles("lost", corpus_points(c.steps, 1, 1));
        heat(u, v, energy, lost, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
