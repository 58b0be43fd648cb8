// Rows and their elements by at(), which throws where there is none; the border keeps what it has.
#include "../c/corpus.h"
#include <vector>

using Grid = std::vector<std::vector<float>>;

static void relax(Grid &u, Grid &v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v.at(i).at(j) = 0.25f * (u.at(i - 1).at(j) + u.at(i + 1).at(j) + u.at(i).at(j - 1) + u.at(i).at(j + 1));
        u.swap(v);
    }
}

static Grid grid(const float *all, int n, int m)
{
    Grid rows;
    for (int i = 0; i < n; i++)
        rows.emplace_back(all + (std::size_t)i * m, all + (std::size_t)(i + 1) * m);
    return rows;
}

static void save(const Grid &rows, float *all)
{
    for (const auto &row : rows)
        for (float x : row)
            *all++ = x;
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        float *first = corpus_floats("u", points), *second = corpus_floats("v", points);
        Grid u = grid(first, c.nx, c.ny), v = grid(second, c.nx, c.ny);
        relax(u, v, c.nx, c.ny, c.steps);
        save(u, first);
        save(v, second);
        corpus_end();
    }
    return 0;
}
