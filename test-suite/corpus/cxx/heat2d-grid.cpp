// A grid with its sizes: a function returns each step's, which takes the place of the one that it was made of.
#include "../c/corpus.h"

#include <algorithm>
#include <vector>

namespace {

class Grid {
public:
    Grid(int rows, int columns) : n(rows), m(columns), at(static_cast<size_t>(rows) * columns) {}
    double &operator()(int i, int j) { return at[i * m + j]; }
    double operator()(int i, int j) const { return at[i * m + j]; }
    int rows() const { return n; }
    int columns() const { return m; }
    std::vector<double> &values() { return at; }

private:
    int n, m;
    std::vector<double> at;
};

Grid step(const Grid &u)
{
    Grid v(u.rows(), u.columns());
    for (int i = 1; i < u.rows() - 1; i++)
        for (int j = 1; j < u.columns() - 1; j++)
            v(i, j) = u(i, j) + 0.1 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0 * u(i, j));
    return v;
}

__attribute__((noinline)) void heat(Grid &u, int steps)
{
    for (int t = 0; t < steps; t++)
        u = step(u);
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points);
        Grid u(std::max(c.nx, 0), std::max(c.ny, 0));
        std::copy(first, first + points, u.values().begin());
        heat(u, c.steps);
        corpus_value("rows", u.rows());
        std::copy(u.values().begin(), u.values().end(), first);
        corpus_end();
    }
    return 0;
}
