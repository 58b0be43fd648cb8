// A grid of rows that is copied in each step, and longer from time to time: then the copy has not its shape.
#include "../c/corpus.h"

#include <vector>

namespace {

using Grid = std::vector<std::vector<double>>;

__attribute__((noinline)) void run(Grid &u, int steps)
{
    for (int t = 0; t < steps; t++) {
        Grid old = u;
        const int n = u.size(), m = u[0].size();
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i][j] = 0.2 * (old[i][j] + old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
        if (t % 11 == 4)
            u.push_back(u[n / 2]);
        if (t % 13 == 7)
            for (auto &row : u)
                row.push_back(row.front());
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *sum = corpus_doubles("sum", 1);
        Grid u(c.nx);
        for (int i = 0; i < c.nx; i++)
            u[i].assign(first + std::size_t(i) * c.ny, first + std::size_t(i + 1) * c.ny);
        run(u, c.steps);
        for (int i = 0; i < c.nx; i++)
            for (int j = 0; j < c.ny; j++)
                first[std::size_t(i) * c.ny + j] = u[i][j];
        sum[0] = 0.0;
        for (const auto &row : u)
            for (double x : row)
                sum[0] = 0.5 * sum[0] + x;
        corpus_end();
    }
    return 0;
}
