// Shallow water in a basin: height and two speeds are vectors of a class, which are updated in place; its walls reflect.
#include "../c/corpus.h"

#include <vector>

namespace {

class Basin {
public:
    Basin(int n, int m, const double *h0, const double *u0, const double *v0)
        : n(n), m(m), h(h0, h0 + std::size_t(n) * m), u(u0, u0 + std::size_t(n) * m), v(v0, v0 + std::size_t(n) * m)
    {
    }

    void run(int steps)
    {
        for (int t = 0; t < steps; t++) {
            speeds();
            walls();
            heights();
        }
    }

    int n, m;
    std::vector<double> h, u, v;

private:
    void speeds()
    {
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m - 1; j++) {
                u[i * m + j] -= gravity * dt * (h[(i + 1) * m + j] - h[i * m + j]);
                v[i * m + j] -= gravity * dt * (h[i * m + j + 1] - h[i * m + j]);
            }
    }

    void walls()
    {
        for (int j = 0; j < m; j++)
            u[(n - 1) * m + j] = 0.0;
        for (int i = 0; i < n; i++)
            v[i * m + m - 1] = 0.0;
    }

    void heights()
    {
        for (int i = 1; i < n; i++)
            for (int j = 1; j < m; j++)
                h[i * m + j] -= depth * dt * (u[i * m + j] - u[(i - 1) * m + j] + v[i * m + j] - v[i * m + j - 1]);
    }

    static constexpr double gravity = 9.81, depth = 0.5, dt = 0.05;
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *h = corpus_doubles("h", points), *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        Basin basin(c.nx, c.ny, h, u, v);
        basin.run(c.steps);
        std::copy(basin.h.begin(), basin.h.end(), h);
        std::copy(basin.u.begin(), basin.u.end(), u);
        std::copy(basin.v.begin(), basin.v.end(), v);
        corpus_end();
    }
    return 0;
}
