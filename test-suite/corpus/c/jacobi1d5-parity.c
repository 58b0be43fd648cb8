/* Five points, fourth order; two time levels picked by the step's parity. */
#include "corpus.h"

#define MAXN 4200

double u[2][MAXN];

void diffuse(int n, int steps, double r)
{
    for (int t = 0; t < steps; t++)
        for (int i = 2; i < n - 2; i++)
            u[(t + 1) % 2][i] =
                u[t % 2][i] + r * (-u[t % 2][i - 2] + 16.0 * u[t % 2][i - 1] - 30.0 * u[t % 2][i] +
                                   16.0 * u[t % 2][i + 1] - u[t % 2][i + 2]);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("u", 'd', u, sizeof u);
        diffuse(c.nx, c.steps, 0.02);
        corpus_end();
    }
    return 0;
}
