// A solver of two vectors that sweeps from the one to the other, and back when it is asked again.
#include "../c/corpus.h"

#include <vector>

namespace {

class Solver {
public:
    Solver(const double *first, const double *second, int n, int m)
        : a(first, first + std::size_t(n) * m), b(second, second + std::size_t(n) * m), n(n), m(m)
    {
    }

    void step()
    {
        if (forth)
            sweep(a, b);
        else
            sweep(b, a);
        forth = !forth;
    }

    std::vector<double> a, b;
    bool forth = true;

private:
    void sweep(const std::vector<double> &u, std::vector<double> &v)
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
    }

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
        corpus_value("forth", solver.forth);
        std::copy(solver.a.begin(), solver.a.end(), first);
        std::copy(solver.b.begin(), solver.b.end(), second);
        corpus_end();
    }
    return 0;
}
