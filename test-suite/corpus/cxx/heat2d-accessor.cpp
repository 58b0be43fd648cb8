// A grid class with an accessor over a flat vector; pointers to grids are swapped; the sweep is a lambda that a template
// calls.
#include "../c/corpus.h"
#include <algorithm>
#include <utility>
#include <vector>

class Grid {
public:
    Grid(const float *all, int n, int m) : n(n), m(m), data(all, all + corpus_points(n, m, 1)) {}
    float &operator()(int i, int j) { return data[(size_t)i * (size_t)m + (size_t)j]; }
    float operator()(int i, int j) const { return data[(size_t)i * (size_t)m + (size_t)j]; }
    const std::vector<float> &all() const { return data; }
    const int n, m;

private:
    std::vector<float> data;
};

template <class F> void inside(const Grid &g, F f)
{
    for (int i = 1; i < g.n - 1; i++)
        for (int j = 1; j < g.m - 1; j++)
            f(i, j);
}

void heat(Grid *now, Grid *next, float k, int steps)
{
    for (int t = 0; t < steps; t++) {
        const Grid &u = *now;
        Grid &v = *next;
        inside(u, [&](int i, int j) {
            v(i, j) = u(i, j) + k * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0f * u(i, j));
        });
        std::swap(now, next);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *first = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *second = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        Grid u(first, c.nx, c.ny), v(second, c.nx, c.ny);
        heat(&u, &v, 0.1f, c.steps);
        std::copy(u.all().begin(), u.all().end(), first);
        std::copy(v.all().begin(), v.all().end(), second);
        corpus_end();
    }
    return 0;
}
