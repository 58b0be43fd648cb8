// Heat equation over vectors: the norm of the change is computed after each step by a function of its own, and ends the
// loop when it is small against the first one's.
#include "../c/corpus.h"
#include <cmath>
#include <vector>

static double difference(const std::vector<double> &a, const std::vector<double> &b)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

static void sweep(const std::vector<double> &u, std::vector<double> &v, int n, int m)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            v[i * m + j] = u[i * m + j] + 0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                 u[i * m + j + 1] - 4.0 * u[i * m + j]);
}

static int heat(std::vector<double> &u, std::vector<double> &v, int n, int m, int steps, double tolerance)
{
    sweep(u, v, n, m);
    const double first = difference(u, v);
    for (int t = 0; t < steps; t++) {
        sweep(u, v, n, m);
        if (difference(u, v) < tolerance * first)
            return t;
        std::swap(u, v);
    }
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        std::vector<double> u(first, first + points), v(second, second + points);
        int taken = heat(u, v, c.nx, c.ny, c.steps, 0.5);
        std::copy(u.begin(), u.end(), first);
        std::copy(v.begin(), v.end(), second);
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
