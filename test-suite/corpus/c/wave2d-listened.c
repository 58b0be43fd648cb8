/* Waves from a source that follows the time, at a point; what two others hear is printed in each step, another's is kept, and so is the
   largest that one has heard. */
#include "corpus.h"

#include <math.h>

void wave(double *before, double *now, double *next, double *heard, double *peak, int n, int m, int steps)
{
    double t = 0.0, dt = 0.05;
    int here = n / 2 * m + m / 2, there = n / 3 * m + m / 4;
    for (int step = 0; step < steps; step++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                next[k] = 2.0 * now[k] - before[k] + 0.2 * (now[k - m] + now[k - 1] - 4.0 * now[k] + now[k + 1] + now[k + m]);
            }
        next[here] += dt * exp(-20.0 * (t - 0.5) * (t - 0.5));
        double *w = before;
        before = now;
        now = next;
        next = w;
        t += dt;
        printf("%d: %.17g %.17g\n", step, now[there], now[m / 2]);
        heard[step] = now[n / 4 * m + m / 3];
        if (fabs(now[here]) > *peak)
            *peak = fabs(now[here]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *before = corpus_doubles("before", corpus_points(c.nx, c.ny, 1));
        double *now = corpus_doubles("now", corpus_points(c.nx, c.ny, 1));
        double *next = corpus_doubles("next", corpus_points(c.nx, c.ny, 1));
        double *heard = corpus_doubles("heard", corpus_points(c.steps, 1, 1));
        double *peak = corpus_doubles("peak", 1);
        wave(before, now, next, heard, peak, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
