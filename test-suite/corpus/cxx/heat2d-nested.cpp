// Each step fills a grid of rows anew, with a number, and moves it to the place of the old one.
#include "../c/corpus.h"

#include <utility>
#include <vector>

namespace {

using Grid = std::vector<std::vector<double>>;

void step(Grid &u, double rate)
{
    const int n = u.size(), m = u[0].size();
    Grid next(n, std::vector<double>(m, 0.25));
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            next[i][j] = u[i][j] + rate * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j]);
    u = std::move(next);
}

__attribute__((noinline)) void run(Grid &u, int steps)
{
    for (int t = 0; t < steps; t++)
        step(u, 0.1);
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *first = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        Grid u(c.nx);
        for (int i = 0; i < c.nx; i++)
            u[i].assign(first + std::size_t(i) * c.ny, first + std::size_t(i + 1) * c.ny);
        run(u, c.steps);
        for (int i = 0; i < c.nx; i++)
            for (int j = 0; j < c.ny; j++)
                first[std::size_t(i) * c.ny + j] = u[i][j];
        corpus_end();
    }
    return 0;
}
