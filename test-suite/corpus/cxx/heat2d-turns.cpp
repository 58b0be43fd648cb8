// A solver that keeps two vectors and which of them holds the present; it is asked for one step after the other.
#include "../c/corpus.h"

#include <vector>

namespace {

class Solver {
public:
    Solver(const double *first, const double *second, int n, int m)
        : grids{std::vector<double>(first, first + std::size_t(n) * m), std::vector<double>(second, second + std::size_t(n) * m)},
          n(n), m(m)
    {
    }

    void step()
    {
        const std::vector<double> &u = grids[present];
        std::vector<double> &v = grids[1 - present];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        present = 1 - present;
    }

    std::vector<double> grids[2];
    int present = 0;

private:
    int n, m;
};

__attribute__((noinline)) void run(Solver &solver, int steps)
{
    for (int t = 0; t < steps; t++)
        solver.step();
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("a", points), *second = corpus_doubles("b", points);
        Solver solver(first, second, c.nx, c.ny);
        run(solver, c.steps);
        corpus_value("present", solver.present);
        std::copy(solver.grids[0].begin(), solver.grids[0].end(), first);
        std::copy(solver.grids[1].begin(), solver.grids[1].end(), second);
        corpus_end();
    }
    return 0;
}
