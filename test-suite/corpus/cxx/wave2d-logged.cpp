// Three vectors that change places in an object; a line of each step goes through an ofstream: the time, and what two points hear.
#include "../c/corpus.h"

#include <cmath>
#include <fstream>
#include <utility>
#include <vector>

namespace {

class Membrane {
  public:
    Membrane(int n, int m, std::vector<double> before, std::vector<double> now)
        : n(n), m(m), before(std::move(before)), now(std::move(now)), next(this->before)
    {
    }

    void step(double strength)
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                at(next, i, j) = 2.0 * at(now, i, j) - at(before, i, j) +
                                 0.2 * (at(now, i - 1, j) + at(now, i + 1, j) + at(now, i, j - 1) + at(now, i, j + 1) -
                                        4.0 * at(now, i, j));
        at(next, n / 2, m / 2) += strength;
        std::swap(before, now);
        std::swap(now, next);
    }

    double value(int i, int j) const { return now[i * m + j]; }
    const std::vector<double> &state() const { return now; }

  private:
    double &at(std::vector<double> &of, int i, int j) const { return of[i * m + j]; }

    int n, m;
    std::vector<double> before, now, next;
};

std::vector<double> wave(int n, int m, int steps, std::vector<double> before, std::vector<double> now, double &peak)
{
    Membrane membrane(n, m, std::move(before), std::move(now));
    std::ofstream log("/dev/stdout", std::ios::app);
    for (int t = 0; t < steps; t++) {
        membrane.step(std::exp(-0.02 * (t - 15) * (t - 15)));
        double here = membrane.value(n / 3, m / 4);
        log << t << ' ' << here << ' ' << membrane.value(n / 4, m / 2) << '\n';
        if (std::abs(here) > peak)
            peak = std::abs(here);
    }
    return membrane.state();
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points), *peak = corpus_doubles("peak", 1);
        std::vector<double> end = wave(c.nx, c.ny, c.steps, {a, a + points}, {b, b + points}, *peak);
        std::copy(end.begin(), end.end(), a);
        corpus_end();
    }
    return 0;
}
