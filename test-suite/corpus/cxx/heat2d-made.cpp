// Each step makes a vector of rows times columns elements, and gives the one before a copy of it.
#include "../c/corpus.h"

#include <algorithm>
#include <vector>

namespace {

__attribute__((noinline)) std::vector<double> heat(const double *first, int n, int m, int steps)
{
    std::vector<double> u(first, first + static_cast<size_t>(n) * m);
    for (int t = 0; t < steps; t++) {
        std::vector<double> next(static_cast<size_t>(n) * m, 0.0);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                        u[i * m + j + 1] - 4.0 * u[i * m + j]);
        u = next;
    }
    return u;
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *first = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        if (c.nx > 0 && c.ny > 0) {
            std::vector<double> u = heat(first, c.nx, c.ny, c.steps);
            std::copy(u.begin(), u.end(), first);
        }
        corpus_end();
    }
    return 0;
}
