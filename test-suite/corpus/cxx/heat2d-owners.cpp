// Vectors that are shared with whoever else looks at them, and whose owners change places after each step.
#include "../c/corpus.h"

#include <memory>
#include <utility>
#include <vector>

using Field = std::shared_ptr<std::vector<double>>;

static __attribute__((noinline)) void laplace(Field &now, Field &next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        const std::vector<double> &u = *now;
        std::vector<double> &v = *next;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        now.swap(next);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        auto now = std::make_shared<std::vector<double>>(a, a + points), next = now;
        next = std::make_shared<std::vector<double>>(b, b + points);
        laplace(now, next, c.nx, c.ny, c.steps);
        std::copy(now->begin(), now->end(), a);
        std::copy(next->begin(), next->end(), b);
        corpus_end();
    }
    return 0;
}
