// Jacobi iteration on vectors of the same function, which ends each step with a line of progress, until the norm of the change is
// small.
#include "../c/corpus.h"
#include <cmath>
#include <iostream>
#include <vector>

__attribute__((noinline)) static int jacobi(double *first, double *second, int n, int m, int steps, double tolerance)
{
    std::vector<double> u(first, first + n * m), v(second, second + n * m);
    int taken = 0;
    double norm = 2 * tolerance;
    while (norm > tolerance && taken < steps) {
        double sum = 0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                double d = v[i * m + j] - u[i * m + j];
                sum += d * d;
            }
        norm = std::sqrt(sum / (n * m));
        u.swap(v);
        std::cout << ++taken << ' ' << norm << '\n';
    }
    std::copy(u.begin(), u.end(), first);
    std::copy(v.begin(), v.end(), second);
    return taken;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        int taken = 0;
        if (points)
            taken = jacobi(u, v, c.nx, c.ny, c.steps, 0.02);
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
