// Somebody whom the loop does not know may throw while the grid is being swept: from a check every few steps, past an
// object that must be destroyed, to whoever looks at the grid then. The loop may also end in a convergence test.
#include "../c/corpus.h"
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

struct Guard {
    const double *grid;
    std::size_t points;
    double *sum;
    ~Guard()
    {
        for (std::size_t i = 0; i < points; i++)
            *sum += grid[i];
    }
};

using Check = void(int, const double *, int);

static void check(int t, const double *u, int points)
{
    if (t > 8 && u[points / 2] > 0.1)
        throw std::runtime_error("too warm");
}

static int heat(double *u, double *v, int n, int m, int steps, Check *who, double *sum)
{
    Guard guard{u, (std::size_t)n * (std::size_t)m, sum};
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.2 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] +
                                                     u[i * m + j - 1] + u[i * m + j + 1] - 4.0 * u[i * m + j]);
        std::swap(u, v);
        if (t % 4 == 1)
            who(t, u, n * m);
    }
    return steps;
}

static int settle(double *u, double *v, int n, int m, int steps, Check *who)
{
    auto kept = std::make_unique<double[]>(3);
    int t = 0;
    double change = 1.0;
    while (change > 0.03 && t < steps) {
        change = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                change = std::fmax(change, std::fabs(v[i * m + j] - u[i * m + j]));
            }
        std::swap(u, v);
        kept[t % 3] = change;
        if (++t % 9 == 0)
            who(t, u, n * m);
    }
    return t + (int)(kept[0] * 100.0);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    Check *volatile who = check;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double sum = 0.0;
        int taken = 0, thrown = 0;
        if (points) {
            try {
                taken = heat(u, v, c.nx, c.ny, c.steps, who, &sum);
            } catch (const std::runtime_error &) {
                thrown++;
            }
            try {
                taken += settle(u, v, c.nx, c.ny, c.steps, who);
            } catch (const std::runtime_error &) {
                thrown++;
            }
        }
        corpus_value("taken", taken);
        corpus_value("thrown", thrown);
        corpus_value("sum", (int64_t)(sum * 1e6));
        corpus_end();
    }
    return 0;
}
