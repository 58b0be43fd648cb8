// Sweeps over spans, which know their lengths and own nothing; two spans change places after each step.
#include "../c/corpus.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace {

std::span<const double> row(std::span<const double> grid, std::size_t i, std::size_t width)
{
    return grid.subspan(i * width, width);
}

void sweep(std::span<const double> u, std::span<double> v, std::size_t width)
{
    const std::size_t rows = u.size() / width;
    for (std::size_t i = 1; i + 1 < rows; i++) {
        std::span<const double> above = row(u, i - 1, width), here = row(u, i, width), below = row(u, i + 1, width);
        std::span<double> out = v.subspan(i * width, width);
        for (std::size_t j = 1; j + 1 < width; j++)
            out[j] = here[j] + 0.1 * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]);
    }
}

} // namespace

void heat(std::span<double> u, std::span<double> v, std::size_t width, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep(u, v, width);
        std::swap(u, v);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        heat({a, points}, {b, points}, static_cast<std::size_t>(c.ny), c.steps);
        corpus_end();
    }
    return 0;
}
