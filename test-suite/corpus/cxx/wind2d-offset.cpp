// Differences against the wind: its sign is an offset, and says which of two coefficients counts.
#include "../c/corpus.h"

#include <utility>
#include <vector>

namespace {

class Grid {
public:
    Grid(double *data, int rows, int columns) : data_(data), rows_(rows), columns_(columns) {}
    double &operator()(int i, int j) { return data_[i * columns_ + j]; }
    double operator()(int i, int j) const { return data_[i * columns_ + j]; }
    int rows() const { return rows_; }
    int columns() const { return columns_; }

private:
    double *data_;
    int rows_, columns_;
};

void blow(const Grid &u, Grid &next, const Grid &wind, const std::vector<double> &fast, const std::vector<double> &slow)
{
    for (int i = 1; i < u.rows() - 1; i++)
        for (int j = 1; j < u.columns() - 1; j++) {
            const int from = wind(i, j) > 0.5 ? -1 : wind(i, j) < 0.4 ? 1 : 0;
            const double share = i > u.rows() / 2 ? fast[j] : slow[j];
            next(i, j) = u(i, j) + 0.3 * share * (u(i, j + from) - u(i, j)) + 0.1 * (u(i - from, j) - u(i, j));
        }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        const long points = corpus_points(c.nx, c.ny, 1);
        Grid u(corpus_doubles("u", points), c.nx, c.ny), next(corpus_doubles("next", points), c.nx, c.ny);
        const Grid wind(corpus_doubles("wind", points), c.nx, c.ny);
        const std::size_t columns = c.ny > 0 ? c.ny : 0;
        const std::vector<double> fast(columns, 0.9), slow(columns, 0.4);
        for (int step = 0; step < c.steps; step++) {
            blow(u, next, wind, fast, slow);
            std::swap(u, next);
        }
        corpus_end();
    }
}
