// Jacobi iteration over vectors until the largest change, by std::max, is small.
#include "../c/corpus.h"
#include <algorithm>
#include <cmath>
#include <vector>

static int jacobi(std::vector<double> &u, std::vector<double> &v, int n, int m, int steps, double tolerance)
{
    int t = 0;
    for (double change = 2 * tolerance; change > tolerance && t < steps; t++) {
        change = 0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                change = std::max(change, std::fabs(v[i * m + j] - u[i * m + j]));
            }
        std::swap(u, v);
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        std::vector<double> u(first, first + points), v(second, second + points);
        int taken = jacobi(u, v, c.nx, c.ny, c.steps, 0.02);
        std::copy(u.begin(), u.end(), first);
        std::copy(v.begin(), v.end(), second);
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
