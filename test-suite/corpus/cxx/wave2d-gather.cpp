// The wave equation with a source, in a class, and what a line of receivers hears in each step, in a vector of vectors.
#include "../c/corpus.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace {

class Wave {
  public:
    Wave(int n, int m, int steps, std::vector<double> before, std::vector<double> now)
        : n(n), m(m), p(std::move(before)), u(std::move(now)), next(p), gather(steps, std::vector<double>(m))
    {
    }

    void run(int steps)
    {
        for (int t = 0; t < steps; ++t) {
            step(t);
            for (int j = 0; j < m; ++j)
                gather[t][j] = u[m + j];
        }
    }

    int n, m;
    std::vector<double> p, u, next;
    std::vector<std::vector<double>> gather;

  private:
    void step(int t)
    {
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < m - 1; ++j) {
                int k = i * m + j;
                next[k] = 2.0 * u[k] - p[k] + 0.2 * (u[k - m] + u[k + m] + u[k - 1] + u[k + 1] - 4.0 * u[k]);
            }
        next[n / 2 * m + m / 2] += 0.125 * (t % 7 - 3);
        std::swap(p, u);
        std::swap(u, next);
    }
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1), steps = c.steps > 0 ? c.steps : 0;
        double *a = corpus_doubles("a", points);
        double *b = corpus_doubles("b", points);
        double *heard = corpus_doubles("heard", steps * corpus_points(c.ny, 1, 1));
        if (c.nx >= 2 && c.ny >= 2) {
            Wave wave(c.nx, c.ny, int(steps), std::vector<double>(a, a + points), std::vector<double>(b, b + points));
            wave.run(c.steps);
            std::copy(wave.p.begin(), wave.p.end(), a);
            std::copy(wave.u.begin(), wave.u.end(), b);
            for (size_t t = 0; t < steps; ++t)
                std::copy(wave.gather[t].begin(), wave.gather[t].end(), heard + t * wave.m);
        }
        corpus_end();
    }
    return 0;
}
