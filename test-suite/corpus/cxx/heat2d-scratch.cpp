// Each step copies a vector, computes the copy's elements, and assigns it.
#include "../c/corpus.h"

#include <algorithm>
#include <vector>

namespace {

__attribute__((noinline)) void run(double *first, int n, int m, int steps)
{
    std::vector<double> u(first, first + std::size_t(n) * m);
    for (int t = 0; t < steps; t++) {
        std::vector<double> v = u;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        u = v;
    }
    std::copy(u.begin(), u.end(), first);
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        run(corpus_doubles("u", corpus_points(c.nx, c.ny, 1)), c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
