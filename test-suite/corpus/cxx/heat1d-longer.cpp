/* Vectors by reference that change places, one of which is longer: every other step goes one element further. */
#include "../c/corpus.h"

#include <utility>
#include <vector>

static __attribute__((noinline)) void run(std::vector<double> &u, std::vector<double> &v, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (std::size_t i = 1; i + 1 < u.size(); ++i)
            v[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        std::swap(u, v);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, 1, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points + 1);
        std::vector<double> u(a, a + points), v(b, b + points + 1);
        run(u, v, c.steps);
        const std::vector<double> &shorter = u.size() < v.size() ? u : v, &longer = u.size() < v.size() ? v : u;
        for (std::size_t i = 0; i < points; i++)
            a[i] = shorter[i];
        for (std::size_t i = 0; i <= points; i++)
            b[i] = longer[i];
        corpus_end();
    }
    return 0;
}
