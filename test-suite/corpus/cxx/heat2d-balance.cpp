// A simulation whose step returns the balance of what has flowed; the caller keeps all of them.
#include "../c/corpus.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace {

struct Plate {
    std::vector<double> now, next;
    int rows, columns;

    double &at(std::vector<double> &grid, int i, int j) { return grid[std::size_t(i) * columns + j]; }

    double step()
    {
        double balance = 0.0;
        for (int i = 1; i < rows - 1; ++i)
            for (int j = 1; j < columns - 1; ++j) {
                double flow = at(now, i - 1, j) + at(now, i + 1, j) + at(now, i, j - 1) + at(now, i, j + 1) -
                              4.0 * at(now, i, j);
                at(next, i, j) = at(now, i, j) + 0.1 * flow;
                balance += flow;
            }
        std::swap(now, next);
        return balance;
    }
};

__attribute__((noinline)) void simulate(Plate &plate, double *balances, int steps)
{
    for (int t = 0; t < steps; ++t)
        balances[t] = plate.step();
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *balances = corpus_doubles("balances", corpus_points(c.steps, 1, 1));
        Plate plate{{u, u + points}, {v, v + points}, c.nx, c.ny};
        simulate(plate, balances, c.steps);
        std::copy(plate.now.begin(), plate.now.end(), u);
        std::copy(plate.next.begin(), plate.next.end(), v);
        corpus_end();
    }
    return 0;
}
