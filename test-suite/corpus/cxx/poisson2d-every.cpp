// Jacobi's iteration whose residual is asked for every few steps only: the norm of it is printed, and ends the loop.
#include "../c/corpus.h"

#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

namespace {

class Poisson {
public:
    Poisson(int n, int m, const double *u0, const double *v0, const double *f0)
        : n(n), m(m), u(u0, u0 + std::size_t(n) * m), v(v0, v0 + std::size_t(n) * m), f(f0, f0 + std::size_t(n) * m)
    {
    }

    void sweep()
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[at(i, j)] = 0.25 * (u[at(i - 1, j)] + u[at(i + 1, j)] + u[at(i, j - 1)] + u[at(i, j + 1)] - f[at(i, j)]);
        std::swap(u, v);
    }

    double residual() const
    {
        double sum = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double r = u[at(i - 1, j)] + u[at(i + 1, j)] + u[at(i, j - 1)] + u[at(i, j + 1)] - 4.0 * u[at(i, j)] -
                           f[at(i, j)];
                sum += r * r;
            }
        return std::sqrt(sum / (double(n) * m));
    }

    __attribute__((noinline)) int solve(int most, int every, double tolerance)
    {
        for (int t = 1; t <= most; t++) {
            sweep();
            if (t % every == 0) {
                double r = residual();
                std::cout << "step " << t << ": residual " << r << "\n";
                if (r < tolerance)
                    return t;
            }
        }
        return most;
    }

    int at(int i, int j) const { return i * m + j; }

    int n, m;
    std::vector<double> u, v, f;
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points), *f = corpus_doubles("f", points);
        Poisson poisson(c.nx, c.ny, a, b, f);
        corpus_value("steps", poisson.solve(c.steps, 10, 0.25));
        std::copy(poisson.u.begin(), poisson.u.end(), a);
        std::copy(poisson.v.begin(), poisson.v.end(), b);
        corpus_end();
    }
    return 0;
}
