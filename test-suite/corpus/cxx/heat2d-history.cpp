// Every time level is kept, in one vector that an accessor looks into by level, row and column.
#include "../c/corpus.h"

#include <vector>

namespace {

class History {
public:
    History(int levels, int n, int m) : n(n), m(m), values(std::size_t(levels) * n * m) {}

    double &operator()(int t, int i, int j) { return values[(std::size_t(t) * n + i) * m + j]; }
    double operator()(int t, int i, int j) const { return values[(std::size_t(t) * n + i) * m + j]; }

    int n, m;
    std::vector<double> values;
};

} // namespace

void heat(History &u, double nu, int steps)
{
    const int n = u.n, m = u.m;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u(t + 1, i, j) = u(t, i, j) + nu * (u(t, i - 1, j) + u(t, i + 1, j) + u(t, i, j - 1) +
                                                    u(t, i, j + 1) - 4.0 * u(t, i, j));
        for (int i = 1; i < n - 1; i++) {
            u(t + 1, i, 0) = u(t + 1, i, 1);
            u(t + 1, i, m - 1) = u(t + 1, i, m - 2);
        }
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int levels = c.steps > 0 ? c.steps + 1 : 1;
        double *all = corpus_doubles("u", corpus_points(c.nx, c.ny, levels));
        History u(levels, c.nx, c.ny);
        std::copy(all, all + u.values.size(), u.values.begin());
        heat(u, 0.1, c.steps);
        std::copy(u.values.begin(), u.values.end(), all);
        corpus_end();
    }
    return 0;
}
