// One time step for the sweep and for the clock, in an object that others know; each step is told, and a value is added up that
// lies among the coefficients, which sweeps only read, or in the grid, which they write.
#include "../c/corpus.h"

#include <iostream>
#include <utility>
#include <vector>

namespace {

struct Solver {
    Solver(const double *first, const double *second, const double *factors, int n, int m)
        : u(first, first + std::size_t(n) * m), v(second, second + std::size_t(n) * m),
          c(factors, factors + std::size_t(n) * m), n(n), m(m)
    {
    }

    void step()
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * dt * c[i * m + j] * (u[(i - 1) * m + j] + u[(i + 1) * m + j] -
                                                                         u[i * m + j - 1] - u[i * m + j + 1]);
        std::swap(u, v);
        time += dt;
    }

    __attribute__((noinline)) void run(int steps, const double *watched)
    {
        for (int t = 0; t < steps; t++) {
            step();
            seen += *watched;
            std::cout << "step " << t << " of " << steps << ", size " << n << " x " << m << '\n';
        }
    }

    std::vector<double> u, v, c;
    double time = 0.0, dt = 0.125, seen = 0.0;

private:
    int n, m;
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("a", points), *second = corpus_doubles("b", points);
        double *factors = corpus_doubles("c", points), *seen = corpus_doubles("seen", 2);
        Solver solver(first, second, factors, c.nx, c.ny);
        if (points != 0) {
            solver.run(c.steps, &solver.c[points / 2]);
            seen[0] = solver.seen;
            solver.run(c.steps, &solver.u[points / 2]);
            seen[1] = solver.seen;
        }
        corpus_value("time", int64_t(1000.0 * solver.time));
        std::copy(solver.u.begin(), solver.u.end(), first);
        std::copy(solver.v.begin(), solver.v.end(), second);
        corpus_end();
    }
    return 0;
}
