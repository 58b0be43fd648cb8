// Successive over-relaxation of a rod by colours: every other point of a vector, then those between them.
#include "../c/corpus.h"

#include <cstddef>
#include <vector>

namespace {

void relax(std::vector<double> &u, const std::vector<double> &source, std::size_t first, double omega)
{
    for (std::size_t i = first; i + 1 < u.size(); i += 2)
        u[i] += omega * (0.5 * (u[i - 1] + u[i + 1] + source[i]) - u[i]);
}

} // namespace

void solve(std::vector<double> &u, const std::vector<double> &source, int steps)
{
    for (int t = 0; t < steps; t++) {
        relax(u, source, 1, 1.25);
        relax(u, source, 2, 1.25);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, 1, 1);
        double *a = corpus_doubles("u", points), *b = corpus_doubles("source", points);
        std::vector<double> u(a, a + points), source(b, b + points);
        solve(u, source, c.steps);
        std::copy(u.begin(), u.end(), a);
        corpus_end();
    }
    return 0;
}
