// Grids that are swapped whole, with their sizes: the elements are a vector's, or have one owner.
#include "../c/corpus.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace {

struct Values {
    int n, m;
    std::vector<double> at;
    double &operator()(int i, int j) { return at[i * m + j]; }
};

struct Owner {
    std::unique_ptr<double[]> at;
    int n, m;
    double &operator()(int i, int j) { return at[i * m + j]; }
};

template <typename Grid> __attribute__((noinline)) void heat(Grid &u, Grid &v, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < u.n - 1; i++)
            for (int j = 1; j < u.m - 1; j++)
                v(i, j) = u(i, j) + 0.1 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0 * u(i, j));
        std::swap(u, v);
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        double *p = corpus_doubles("p", points), *q = corpus_doubles("q", points);
        Values u{c.nx, c.ny, {a, a + points}}, v{c.nx, c.ny, {b, b + points}};
        heat(u, v, c.steps);
        std::copy(u.at.begin(), u.at.end(), a);
        std::copy(v.at.begin(), v.at.end(), b);
        Owner now{std::unique_ptr<double[]>(p), c.nx, c.ny}, next{std::unique_ptr<double[]>(q), c.nx, c.ny};
        if (points)
            heat(now, next, c.steps);
        corpus_value("turned", now.at.get() == p);
        corpus_value("columns", now.m);
        now.at.release();
        next.at.release();
        corpus_end();
    }
    return 0;
}
