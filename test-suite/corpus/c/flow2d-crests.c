/* Heat with losses where it is steep: `pow` and `exp` in a branch that few points take, and in one within it. */
#include "corpus.h"
#include <math.h>

void flow(double *now, double *next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                double d = now[k - m] - now[k + m], u = now[k];
                if (d > 0.4) {
                    double p = 0.5 * (now[k - m] + now[k + m]);
                    for (int q = 0; q < 3; q++)
                        p = 0.5 * (p + pow(fabs(p), 0.9) * pow(1 + d, 0.1));
                    if (p > 0.9)
                        p -= 0.1 * exp(-p);
                    else if (u > 0.5)
                        u = pow(u, 1.01);
                    u -= 0.01 * d * p;
                }
                next[k] = u + 0.2 * (now[k - m] + now[k + m] + now[k - 1] + now[k + 1] - 4 * now[k]);
            }
        double *swap = now;
        now = next;
        next = swap;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *now = corpus_doubles("now", corpus_points(c.nx, c.ny, 1));
        double *next = corpus_doubles("next", corpus_points(c.nx, c.ny, 1));
        flow(now, next, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
