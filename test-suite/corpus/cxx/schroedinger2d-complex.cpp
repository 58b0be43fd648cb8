// Complex numbers in vectors: a particle in a potential.
#include "../c/corpus.h"

#include <algorithm>
#include <complex>
#include <vector>

using Number = std::complex<float>;

__attribute__((noinline)) static void evolve(std::vector<Number> &p, std::vector<Number> &q,
                                             const std::vector<float> &potential, int n, int m, int steps)
{
    const Number i(0.0f, 1.0f);
    for (int t = 0; t < steps; t++) {
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < m - 1; x++) {
                int k = y * m + x;
                Number around = p[k - m] + p[k + m] + p[k - 1] + p[k + 1];
                q[k] = p[k] + 0.01f * i * (around - 4.0f * p[k]) - 0.001f * i * potential[k] * p[k];
            }
        std::swap(p, q);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        float *first = corpus_floats("p", 2 * points), *second = corpus_floats("q", 2 * points);
        float *third = corpus_floats("potential", points);
        auto *a = reinterpret_cast<Number *>(first), *b = reinterpret_cast<Number *>(second);
        std::vector<Number> p(a, a + points), q(b, b + points);
        evolve(p, q, std::vector<float>(third, third + points), c.nx, c.ny, c.steps);
        std::copy(p.begin(), p.end(), a);
        std::copy(q.begin(), q.end(), b);
        corpus_end();
    }
    return 0;
}
