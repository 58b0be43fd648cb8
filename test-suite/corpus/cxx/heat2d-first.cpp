// Adams-Bashforth's second order: the tendency of the step before is needed, so that the first step is Euler's, as a
// flag says.
#include "../c/corpus.h"

#include <algorithm>
#include <utility>
#include <vector>

class Diffusion {
public:
    Diffusion(int n, int m) : n(n), m(m), u(points()), tendency(points()), before(points()) {}

    void run(int steps)
    {
        bool first = true;
        for (int t = 0; t < steps; ++t) {
            compute_tendency();
            if (first) {
                for (int i = 1; i < n - 1; ++i)
                    for (int j = 1; j < m - 1; ++j)
                        u[at(i, j)] += dt * tendency[at(i, j)];
                first = false;
            } else {
                for (int i = 1; i < n - 1; ++i)
                    for (int j = 1; j < m - 1; ++j)
                        u[at(i, j)] += dt * (1.5 * tendency[at(i, j)] - 0.5 * before[at(i, j)]);
            }
            std::swap(tendency, before);
        }
    }

    std::size_t points() const { return corpus_points(n, m, 1); }

    int n, m;
    std::vector<double> u, tendency, before;

private:
    static constexpr double dt = 0.1;

    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * m + j; }

    void compute_tendency()
    {
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < m - 1; ++j)
                tendency[at(i, j)] = u[at(i - 1, j)] + u[at(i + 1, j)] + u[at(i, j - 1)] + u[at(i, j + 1)] -
                                     4.0 * u[at(i, j)];
    }
};

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        Diffusion heat(c.nx, c.ny);
        std::size_t points = heat.points();
        double *u = corpus_doubles("u", points), *before = corpus_doubles("before", points);
        std::copy(u, u + points, heat.u.begin());
        heat.run(c.steps);
        std::copy(heat.u.begin(), heat.u.end(), u);
        std::copy(heat.before.begin(), heat.before.end(), before);
        corpus_end();
    }
    return 0;
}
