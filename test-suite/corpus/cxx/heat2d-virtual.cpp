// The step is a virtual function: the solver's class is chosen when the program runs, and its base has the time loop.
#include "../c/corpus.h"

#include <memory>
#include <utility>
#include <vector>

namespace {

class Solver {
public:
    Solver(const double *first, const double *second, int n, int m)
        : n(n), m(m), u(first, first + std::size_t(n) * m), v(second, second + std::size_t(n) * m)
    {
    }
    virtual ~Solver() = default;

    __attribute__((noinline)) void run(int steps)
    {
        for (int t = 0; t < steps; t++) {
            step();
            std::swap(u, v);
        }
    }

    const std::vector<double> &values() const { return u; }

protected:
    virtual void step() = 0;

    int n, m;
    std::vector<double> u, v;
};

class Jacobi : public Solver {
public:
    using Solver::Solver;

private:
    void step() override
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    }
};

class Damped : public Solver {
public:
    Damped(const double *first, const double *second, int n, int m, double weight) : Solver(first, second, n, m), weight(weight)
    {
    }

private:
    void step() override
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = (1.0 - weight) * u[i * m + j] +
                               0.25 * weight * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    }

    double weight;
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        std::vector<std::unique_ptr<Solver>> solvers;
        solvers.push_back(std::make_unique<Jacobi>(a, b, c.nx, c.ny));
        solvers.push_back(std::make_unique<Damped>(a, b, c.nx, c.ny, 0.75));
        for (std::unique_ptr<Solver> &solver : solvers)
            solver->run(c.steps);
        for (std::size_t i = 0; i < points; i++) {
            a[i] = solvers[0]->values()[i];
            b[i] = solvers[1]->values()[i];
        }
        corpus_end();
    }
    return 0;
}
