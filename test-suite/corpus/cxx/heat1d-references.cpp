/* Vectors by reference, whose lengths are asked for where they are needed, and which each step exchanges. */
#include "../c/corpus.h"

#include <utility>
#include <vector>

static void step(std::vector<double> &u, std::vector<double> &v)
{
    for (std::size_t i = 1; i + 1 < u.size(); ++i)
        v[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
    std::swap(u, v);
}

static __attribute__((noinline)) void run(std::vector<double> &u, std::vector<double> &v, int steps)
{
    for (int t = 0; t < steps; t++)
        step(u, v);
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, 1, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        std::vector<double> u(a, a + points), v(b, b + points);
        run(u, v, c.steps);
        for (std::size_t i = 0; i < points; i++)
            a[i] = u[i], b[i] = v[i];
        corpus_end();
    }
    return 0;
}
