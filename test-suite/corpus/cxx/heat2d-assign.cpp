// Copy back by assignment of one vector to another.
#include "../c/corpus.h"

#include <vector>

static void heat(std::vector<double> &u, std::vector<double> &next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                        u[i * m + j + 1] - 4.0 * u[i * m + j]);
        u = next;
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        std::vector<double> u(first, first + points), v(second, second + points);
        heat(u, v, c.nx, c.ny, c.steps);
        std::copy(u.begin(), u.end(), first);
        std::copy(v.begin(), v.end(), second);
        corpus_end();
    }
    return 0;
}
