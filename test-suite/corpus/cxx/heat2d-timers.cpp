// Each step is timed by std::chrono, and the time loop as a whole; the class adds up what its steps have taken.
#include "../c/corpus.h"

#include <chrono>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

class Plate {
public:
    Plate(int n, int m, const double *first, const double *second)
        : n(n), m(m), u(first, first + std::size_t(n) * m), v(second, second + std::size_t(n) * m)
    {
    }

    void run(int steps)
    {
        auto begin = std::chrono::high_resolution_clock::now();
        for (int t = 0; t < steps; t++) {
            const auto start = Clock::now();
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                           u[i * m + j + 1]);
            for (int i = 0; i < n; i++) {
                v[i * m] = v[i * m + 1];
                v[i * m + m - 1] = v[i * m + m - 2];
            }
            std::swap(u, v);
            const auto stop = Clock::now();
            inside += stop - start;
        }
        all = std::chrono::high_resolution_clock::now() - begin;
    }

    int n, m;
    std::vector<double> u, v;
    Seconds inside{0.0}, all{0.0};
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        Plate plate(c.nx, c.ny, a, b);
        plate.run(c.steps);
        if (plate.inside > plate.all)
            puts("the steps took longer than all of them together");
        std::copy(plate.u.begin(), plate.u.end(), a);
        std::copy(plate.v.begin(), plate.v.end(), b);
        corpus_end();
    }
    return 0;
}
