// Vectors of vectors that each step copies whole: a new level that begins as the last one, and two that are assigned, one
// of which is empty at first.
#include "../c/corpus.h"

#include <vector>

namespace {

using Grid = std::vector<std::vector<double>>;

__attribute__((noinline)) void run(Grid &u, Grid &before, int steps)
{
    Grid last;
    const int n = u.size(), m = u[0].size();
    for (int t = 0; t < steps; t++) {
        Grid next = u;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i][j] = 2.0 * u[i][j] - before[i][j] +
                             0.2 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j]);
        last = before;
        before = u;
        u = next;
    }
    // The level before the last two, where there was one.
    for (std::size_t i = 0; i < last.size(); i++)
        u[i][0] += last[i].back();
}

Grid grid(const double *all, int n, int m)
{
    Grid rows(n);
    for (int i = 0; i < n; i++)
        rows[i].assign(all + std::size_t(i) * m, all + std::size_t(i + 1) * m);
    return rows;
}

void save(const Grid &rows, double *all)
{
    for (const auto &row : rows)
        for (double x : row)
            *all++ = x;
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        Grid u = grid(first, c.nx, c.ny), before = grid(second, c.nx, c.ny);
        run(u, before, c.steps);
        save(u, first);
        save(before, second);
        corpus_end();
    }
    return 0;
}
