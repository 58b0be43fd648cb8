// Views with extents and strides over memory that somebody else owns, as mdspan has them; there and back in each step.
#include "../c/corpus.h"

#include <cstddef>

namespace {

template <typename T, int Rank> class View {
public:
    View(T *data, const std::ptrdiff_t (&extents)[Rank]) : data_(data)
    {
        std::ptrdiff_t stride = 1;
        for (int d = Rank - 1; d >= 0; d--) {
            extents_[d] = extents[d];
            strides_[d] = stride;
            stride *= extents[d];
        }
    }
    std::ptrdiff_t extent(int d) const { return extents_[d]; }
    template <typename... Index> T &operator()(Index... index) const
    {
        std::ptrdiff_t offset = 0;
        int d = 0;
        ((offset += index * strides_[d++]), ...);
        return data_[offset];
    }

private:
    T *data_;
    std::ptrdiff_t extents_[Rank], strides_[Rank];
};

using Grid = View<double, 3>;

void sweep(const Grid &from, const Grid &to)
{
    for (std::ptrdiff_t i = 1; i < from.extent(0) - 1; i++)
        for (std::ptrdiff_t j = 1; j < from.extent(1) - 1; j++)
            for (std::ptrdiff_t k = 1; k < from.extent(2) - 1; k++)
                to(i, j, k) = 0.4 * from(i, j, k) + 0.1 * (from(i - 1, j, k) + from(i + 1, j, k) + from(i, j - 1, k) +
                                                           from(i, j + 1, k) + from(i, j, k - 1) + from(i, j, k + 1));
}

void heat(const Grid &a, const Grid &b, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep(a, b);
        sweep(b, a);
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, c.nz);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        heat(Grid(a, {c.nx, c.ny, c.nz}), Grid(b, {c.nx, c.ny, c.nz}), c.steps);
        corpus_end();
    }
    return 0;
}
