/* Integers with quotients and remainders, by constants and by another array's values. */
#include "corpus.h"

void spread(int *u, int *v, const int *weight, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            int sum = u[i - 1] + u[i] + u[i + 1];
            v[i] = sum / 3 + u[i] % 7;
            if (weight[i] > 0)
                v[i] = v[i] / weight[i] - sum % weight[i] + (u[i] >> (weight[i] & 7));
        }
        int *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int *u = corpus_ints("u", corpus_points(c.nx, 1, 1));
        int *v = corpus_ints("v", corpus_points(c.nx, 1, 1));
        int *weight = corpus_ints("weight", corpus_points(c.nx, 1, 1));
        spread(u, v, weight, c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
