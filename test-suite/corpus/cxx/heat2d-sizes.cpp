// A grid that says itself how large it is: rows by their number, columns by the length of each row.
#include "../c/corpus.h"
#include <utility>
#include <vector>

using Grid = std::vector<std::vector<double>>;

static void heat(Grid &u, Grid &next, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (std::size_t i = 1; i + 1 < u.size(); i++)
            for (std::size_t j = 1; j + 1 < u[i].size(); j++)
                next[i][j] = u[i][j] + 0.1 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j]);
        std::swap(u, next);
    }
}

static Grid grid(const double *all, int n, int m)
{
    Grid rows;
    for (int i = 0; i < n; i++)
        rows.emplace_back(all + (std::size_t)i * m, all + (std::size_t)(i + 1) * m);
    return rows;
}

static void save(const Grid &rows, double *all)
{
    for (const auto &row : rows)
        for (double x : row)
            *all++ = x;
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("next", points);
        Grid u = grid(first, c.nx, c.ny), next = grid(second, c.nx, c.ny);
        heat(u, next, c.steps);
        save(u, first);
        save(next, second);
        corpus_end();
    }
    return 0;
}
