// A sweep throws when a point gets too hot; who called the solver catches that, and looks at the grids as they were left.
#include "../c/corpus.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

class Plate
{
public:
    Plate(const double *from, std::ptrdiff_t n, std::ptrdiff_t m)
        : n(n), m(m), now(from, from + n * m), next(now)
    {
    }

    __attribute__((noinline)) void run(int steps)
    {
        for (step = 0; step < steps; step++) {
            for (std::ptrdiff_t i = 1; i < n - 1; i++)
                for (std::ptrdiff_t j = 1; j < m - 1; j++) {
                    double x = 0.26 * (now[(i - 1) * m + j] + now[(i + 1) * m + j] +
                                       now[i * m + j - 1] + now[i * m + j + 1]);
                    if (std::abs(x) > 45.0)
                        throw std::runtime_error("too hot: " + std::to_string(i * m + j));
                    next[i * m + j] = x;
                }
            std::swap(now, next);
        }
    }

    std::ptrdiff_t n, m;
    std::vector<double> now, next;
    int step = 0;
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        char *text = reinterpret_cast<char *>(corpus_octets("text", 80));
        double *step = corpus_doubles("step", 1);
        Plate plate(u, c.nx, c.ny);
        try {
            plate.run(c.steps);
        } catch (const std::runtime_error &why) {
            std::snprintf(text, 80, "%s", why.what());
        }
        *step = plate.step;
        std::copy(plate.now.begin(), plate.now.end(), u);
        std::copy(plate.next.begin(), plate.next.end(), v);
        corpus_end();
    }
}
