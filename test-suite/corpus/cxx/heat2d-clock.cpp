// A solver whose time is a member beside its vectors: it is asked to go on until then.
#include "../c/corpus.h"

#include <utility>
#include <vector>

namespace {

class Solver {
public:
    Solver(const double *first, const double *second, int n, int m)
        : u(first, first + std::size_t(n) * m), v(second, second + std::size_t(n) * m), n(n), m(m)
    {
    }

    void step()
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + spread * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                        u[i * m + j + 1] - 4.0 * u[i * m + j]);
        std::swap(u, v);
        time += dt;
    }

    __attribute__((noinline)) void run(double end)
    {
        while (time < end)
            step();
    }

    std::vector<double> u, v;
    double time = 0.0, dt = 0.125, spread = 0.1;

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
        Solver solver(first, second, c.nx, c.ny);
        solver.run(0.125 * (c.steps / 2));
        solver.run(0.125 * c.steps);
        corpus_value("time", int64_t(1000.0 * solver.time));
        std::copy(solver.u.begin(), solver.u.end(), first);
        std::copy(solver.v.begin(), solver.v.end(), second);
        corpus_end();
    }
    return 0;
}
