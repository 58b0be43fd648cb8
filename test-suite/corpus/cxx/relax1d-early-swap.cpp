// The vectors change places before the sweep, whose sum says when to stop.
#include "../c/corpus.h"

#include <algorithm>
#include <utility>
#include <vector>

static __attribute__((noinline)) double relax(std::vector<double> &a, std::vector<double> &b, std::vector<double> &c, int n,
                                              int steps)
{
    double sum = 0;
    for (int t = 0; t < steps; t++) {
        sum = 0;
        std::swap(a, b);
        for (int i = 1; i < n - 1; i++) {
            c[i] = 0.5 * (a[i - 1] + b[i + 1]);
            sum += c[i] * 0.5;
        }
        if (sum > 0.2 * n)
            break;
    }
    return sum;
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, 1, 1);
        double *x = corpus_doubles("x", points), *y = corpus_doubles("y", points), *z = corpus_doubles("z", points);
        std::vector<double> a(x, x + points), b(y, y + points), d(z, z + points);
        *corpus_doubles("sum", 1) = relax(a, b, d, c.nx, c.steps);
        corpus_value("sizes", a.size() + 2 * b.size() + 4 * d.size());
        std::copy(a.begin(), a.end(), x);
        std::copy(b.begin(), b.end(), y);
        std::copy(d.begin(), d.end(), z);
        corpus_end();
    }
    return 0;
}
