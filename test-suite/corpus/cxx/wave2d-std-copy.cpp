// Three levels in flat vectors of a class template, which each step copies on by `std::copy` and by assignment.
#include "../c/corpus.h"

#include <algorithm>
#include <vector>

namespace {

template <typename Real> class Wave {
public:
    Wave(const Real *first, size_t nx, size_t ny)
        : next(first, first + nx * ny), now(next), last(next), nx(nx), ny(ny)
    {
    }

    void step()
    {
        std::copy(now.begin(), now.end(), last.begin());
        now = next;
        for (size_t i = 1; i + 1 < nx; i++)
            for (size_t j = 1; j + 1 < ny; j++) {
                size_t k = i * ny + j;
                next[k] = 2 * now[k] - last[k] +
                          Real(0.2) * (now[k - ny] + now[k + ny] + now[k - 1] + now[k + 1] - 4 * now[k]);
            }
    }

    std::vector<Real> next, now, last;

private:
    size_t nx, ny;
};

template <typename Real> __attribute__((noinline)) void run(Wave<Real> &w, int steps)
{
    for (int t = 0; t < steps; t++)
        w.step();
}

} // namespace

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *u = corpus_floats("u", points), *v = corpus_floats("v", points);
        Wave<float> w(u, points ? c.nx : 0, points ? c.ny : 0);
        run(w, c.steps);
        std::copy(w.next.begin(), w.next.end(), u);
        std::copy(w.last.begin(), w.last.end(), v);
        corpus_end();
    }
    return 0;
}
