/* A solver behind its base class, whose members each step exchanges. */
#include "../c/corpus.h"

#include <memory>
#include <vector>

struct Solver {
    virtual ~Solver() = default;
    virtual void step() = 0;
    virtual double at(std::size_t k) const = 0;
};

struct Heat : Solver {
    int n, m;
    double r;
    std::vector<double> u, v;

    Heat(const double *from, std::size_t points, int n, int m, double r)
        : n(n), m(m), r(r), u(from, from + points), v(u)
    {
    }

    void step() override
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                v[k] = u[k] + r * (u[k - m] + u[k + m] + u[k - 1] + u[k + 1] - 4 * u[k]);
            }
        u.swap(v);
    }

    double at(std::size_t k) const override { return u[k]; }
};

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points);
        std::unique_ptr<Solver> solver = std::make_unique<Heat>(a, points, c.nx, c.ny, 0.1);
        for (int t = 0; t < c.steps; t++)
            solver->step();
        for (std::size_t k = 0; k < points; k++)
            a[k] = solver->at(k);
        corpus_end();
    }
    return 0;
}
