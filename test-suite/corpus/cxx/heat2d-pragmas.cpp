// The pragmas of OpenMP that codes carry around, on vectors: none of them is switched on here.
#include "../c/corpus.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#pragma clang diagnostic ignored "-Wunknown-pragmas"

double heat(std::vector<double> &u, std::vector<double> &v, int n, int m, int steps)
{
    double change = 0.0;
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for collapse(2) schedule(static)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        change = 0.0;
#pragma omp parallel for reduction(max : change)
        for (int i = 1; i < n - 1; i++)
#pragma omp simd
            for (int j = 1; j < m - 1; j++)
                change = std::max(change, std::abs(v[i * m + j] - u[i * m + j]));
        std::swap(u, v);
    }
    return change;
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        std::vector<double> u(a, a + points), v(b, b + points);
        corpus_value("change", static_cast<int64_t>(1e12 * heat(u, v, c.nx, c.ny, c.steps)));
        std::copy(u.begin(), u.end(), a);
        std::copy(v.begin(), v.end(), b);
        corpus_end();
    }
    return 0;
}
