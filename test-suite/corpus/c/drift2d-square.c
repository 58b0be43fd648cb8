/* Three populations on a torus of one size, of which each point pushes two a place on, and an inlet that is set anew: two
 * buffers take turns. */
#include "corpus.h"

enum { REST, DOWN, LEFT, POPULATIONS, N = 52, M = 44 };

static int at(int i, int j, int k)
{
    return ((i + N) % N * M + (j + M) % M) * POPULATIONS + k;
}

static void push(const double *f, double *moved)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            double a = f[at(i, j, REST)], b = f[at(i, j, DOWN)], c = f[at(i, j, LEFT)];
            double mean = (a + b + c) / 3.0;
            moved[at(i, j, REST)] = a - 0.6 * (a - mean);
            moved[at(i - 1, j, DOWN)] = b - 0.6 * (b - mean);
            moved[at(i, j - 1, LEFT)] = c - 0.6 * (c - mean);
        }
}

static void outlet(double *f)
{
    for (int j = 0; j < M; j++)
        f[at(N - 1, j, DOWN)] = f[at(N - 2, j, DOWN)];
}

static void drift(double *even, double *odd, int steps)
{
    for (int t = 0; t < steps; t++)
        if (t % 2 == 0) {
            push(even, odd);
            outlet(odd);
        } else {
            push(odd, even);
            outlet(even);
        }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *even = corpus_doubles("even", N * M * POPULATIONS);
        double *odd = corpus_doubles("odd", N * M * POPULATIONS);
        drift(even, odd, c.steps);
        corpus_end();
    }
    return 0;
}
