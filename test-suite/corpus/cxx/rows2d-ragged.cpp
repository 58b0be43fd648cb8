// One row is longer than the others, and the loop over it goes further: sizes are taken to be the same, and are not.
#include "../c/corpus.h"
#include <vector>

using Grid = std::vector<std::vector<double>>;

static void smooth(Grid &u, Grid &v, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (std::size_t i = 0; i < u.size(); i++)
            for (std::size_t j = 1; j + 1 < u[i].size(); j++)
                v[i][j] = 0.25 * (u[i][j - 1] + 2.0 * u[i][j] + u[i][j + 1]);
        for (std::size_t i = 0; i < u.size(); i++)
            for (std::size_t j = 1; j + 1 < u[i].size(); j++)
                u[i][j] = v[i][j];
    }
}

static Grid grid(const double *all, int n, int m)
{
    Grid rows(n);
    for (auto &row : rows) {
        row.reserve(m + 5);
        row.assign(all, all + m);
        all += m;
    }
    rows.back().insert(rows.back().end(), 5, 1.0);
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
        std::size_t points = corpus_points(c.nx, c.ny, 1) + 5;
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        Grid u = grid(first, c.nx, c.ny), v = grid(second, c.nx, c.ny);
        smooth(u, v, c.steps);
        save(u, first);
        save(v, second);
        corpus_end();
    }
    return 0;
}
