// A solver whose step exchanges its vectors and says how much has changed; it is asked until that is little.
#include "../c/corpus.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace {

class Solver {
public:
    Solver(const double *first, const double *second, int n, int m)
        : u(first, first + std::size_t(n) * m), v(second, second + std::size_t(n) * m), n(n), m(m)
    {
    }

    double step()
    {
        double change = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                change = std::max(change, std::fabs(v[i * m + j] - u[i * m + j]));
            }
        std::swap(u, v);
        return change;
    }

    __attribute__((noinline)) int solve(double tolerance, int most)
    {
        for (int t = 0; t < most; t++)
            if (step() < tolerance)
                return t;
        return most;
    }

    std::vector<double> u, v;

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
        corpus_value("steps", solver.solve(1e-2, c.steps));
        std::copy(solver.u.begin(), solver.u.end(), first);
        std::copy(solver.v.begin(), solver.v.end(), second);
        corpus_end();
    }
    return 0;
}
