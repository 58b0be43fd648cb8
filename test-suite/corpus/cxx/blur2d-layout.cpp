// Grids in columns, seen through slices and an accessor that knows extents and strides; arrays of arrays hold a stencil.
#include "../c/corpus.h"

#include <array>
#include <cstddef>
#include <utility>

namespace {

// As std::span, which C++17 has not.
struct Slice {
    double *data;
    std::size_t size;
    double &operator[](std::size_t i) const { return data[i]; }
};

struct Columns {
    std::ptrdiff_t rows, columns;
    std::size_t operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return std::size_t(i + j * rows); }
};

template <typename Mapping> class Accessor {
public:
    Accessor(Slice data, Mapping mapping) : data_(data), mapping_(mapping) {}
    double &operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return data_[mapping_(i, j)]; }
    std::ptrdiff_t rows() const { return mapping_.rows; }
    std::ptrdiff_t columns() const { return mapping_.columns; }

private:
    Slice data_;
    Mapping mapping_;
};

using Grid = Accessor<Columns>;

constexpr std::array<std::array<double, 3>, 3> WEIGHTS = {{{0.05, 0.1, 0.05}, {0.1, 0.4, 0.1}, {0.05, 0.1, 0.05}}};

void blur(Grid from, Grid to)
{
    for (std::ptrdiff_t j = 1; j < from.columns() - 1; j++)
        for (std::ptrdiff_t i = 1; i < from.rows() - 1; i++) {
            double sum = 0.0;
            for (std::size_t a = 0; a < 3; a++)
                for (std::size_t b = 0; b < 3; b++)
                    sum += WEIGHTS[a][b] * from(i + std::ptrdiff_t(a) - 1, j + std::ptrdiff_t(b) - 1);
            to(i, j) = sum;
        }
}

void run(Slice a, Slice b, std::ptrdiff_t n, std::ptrdiff_t m, int steps)
{
    const Columns shape{n, m};
    for (int t = 0; t < steps; t++) {
        blur(Grid(a, shape), Grid(b, shape));
        std::swap(a, b);
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        run({a, points}, {b, points}, c.nx, c.ny, c.steps);
        corpus_end();
    }
}
