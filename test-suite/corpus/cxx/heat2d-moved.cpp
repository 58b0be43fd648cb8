// A vector behind a reference takes over what each step makes anew, which is as long as it is.
#include "../c/corpus.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace {

__attribute__((noinline)) void heat(std::vector<double> &u, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        std::vector<double> next(u.size());
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                        u[i * m + j + 1] - 4.0 * u[i * m + j]);
        u = std::move(next);
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points);
        std::vector<double> u(first, first + points);
        heat(u, c.nx, c.ny, c.steps);
        corpus_value("length", static_cast<int64_t>(u.size()));
        std::copy(u.begin(), u.end(), first);
        corpus_end();
    }
    return 0;
}
