// Rows of different lengths that each step copies whole: shapes are the same from the second step on, but no grid has rows
// of one length.
#include "../c/corpus.h"

#include <vector>

namespace {

using Grid = std::vector<std::vector<double>>;

__attribute__((noinline)) void run(Grid &u, int steps)
{
    for (int t = 0; t < steps; t++) {
        Grid old = u;
        for (std::size_t i = 1; i + 1 < u.size(); i++)
            for (std::size_t j = 1; j + 1 < u[i].size(); j++)
                u[i][j] = 0.25 * (old[i][j - 1] + 2.0 * old[i][j] + old[i][j + 1]);
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny + 2, 1);
        double *first = corpus_doubles("u", points), *at = first;
        Grid u(c.nx);
        for (int i = 0; i < c.nx; i++, at += c.ny + 2)
            u[i].assign(at, at + c.ny + i % 3);
        run(u, c.steps);
        at = first;
        for (int i = 0; i < c.nx; i++, at += c.ny + 2)
            for (std::size_t j = 0; j < u[i].size(); j++)
                at[j] = u[i][j];
        corpus_end();
    }
    return 0;
}
