// Jacobi's iteration in a loop without an end: it is left by break, once little changes or there were steps enough.
#include "../c/corpus.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

int jacobi(std::vector<double> &u, std::vector<double> &v, const std::vector<double> &f, int n, int m, int most,
           double tolerance)
{
    int t = 0;
    for (;;) {
        if (t >= most)
            break;
        double change = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const int p = i * m + j;
                v[p] = 0.25 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] + 0.01 * f[p]);
                change = std::max(change, std::abs(v[p] - u[p]));
            }
        std::swap(u, v);
        ++t;
        if (change < tolerance)
            break;
    }
    return t;
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points), *d = corpus_doubles("f", points);
        std::vector<double> u(a, a + points), v(b, b + points), f(d, d + points);
        corpus_value("steps", jacobi(u, v, f, c.nx, c.ny, c.steps, 0.02));
        std::copy(u.begin(), u.end(), a);
        std::copy(v.begin(), v.end(), b);
        corpus_end();
    }
    return 0;
}
