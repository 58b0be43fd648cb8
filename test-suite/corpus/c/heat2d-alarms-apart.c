/* Two sweeps that write down what is too hot, and end the run where it is far too hot; between them one point is looked at, in
   each step. */
#include "corpus.h"

#include <math.h>

enum { ROOM = 4000 };

int heat(double *u, double *v, int n, int m, int steps, char *text, double *seen)
{
    int used = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.26 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                       u[i * m + j + 1]);
                if (v[i * m + j] > 40.0 && used < ROOM - 40)
                    used += snprintf(text + used, 40, "+%d %d\n", i, j);
            }
        if (t % 3 == 0 && n > 2 && m > 2)
            *seen = *seen / 2 + v[m + 1];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                u[i * m + j] = 0.75 * v[i * m + j] + 0.125 * (v[i * m + j - 1] + v[i * m + j + 1]);
                if (fabs(u[i * m + j]) > 55.0)
                    return t + 1;
            }
    }
    return -used;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *end = corpus_doubles("end", 2);
        char *text = (char *)corpus_octets("text", ROOM);
        end[0] = heat(u, v, c.nx, c.ny, c.steps, text, &end[1]);
        corpus_end();
    }
    return 0;
}
