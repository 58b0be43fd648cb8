// Each step returns a new vector, which takes the place of the one that it was made of.
#include "../c/corpus.h"

#include <algorithm>
#include <vector>

namespace {

std::vector<double> step(const std::vector<double> &u, int n, int m)
{
    std::vector<double> v(u);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                 u[i * m + j + 1] - 4.0 * u[i * m + j]);
    return v;
}

__attribute__((noinline)) std::vector<double> run(const double *first, int n, int m, int steps)
{
    std::vector<double> u(first, first + std::size_t(n) * m);
    for (int t = 0; t < steps; t++)
        u = step(u, n, m);
    return u;
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *first = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        std::vector<double> u = run(first, c.nx, c.ny, c.steps);
        std::copy(u.begin(), u.end(), first);
        corpus_end();
    }
    return 0;
}
