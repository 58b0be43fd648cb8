// A new copy of the grid is made in each step, and goes at its end.
#include "../c/corpus.h"

#include <vector>

static void heat(std::vector<double> &u, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        const std::vector<double> old = u;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = old[i * m + j] + 0.1 * (old[(i - 1) * m + j] + old[(i + 1) * m + j] + old[i * m + j - 1] +
                                                       old[i * m + j + 1] - 4.0 * old[i * m + j]);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *all = corpus_doubles("u", points);
        std::vector<double> u(all, all + points);
        heat(u, c.nx, c.ny, c.steps);
        std::copy(u.begin(), u.end(), all);
        corpus_end();
    }
    return 0;
}
