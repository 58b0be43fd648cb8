// Laplace's equation until hardly anything changes; a step may end in an exception before its vectors change places, and then they
// have not.
#include "../c/corpus.h"
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

struct plate {
    std::vector<double> now, next;
    int n, m;
    double time;
};

static double sweep(const std::vector<double> &u, std::vector<double> &v, int n, int m)
{
    double change = 0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            int at = i * m + j;
            v[at] = 0.25 * (u[at - m] + u[at + m] + u[at - 1] + u[at + 1]);
            change = std::fmax(change, std::fabs(v[at] - u[at]));
        }
    return change;
}

[[gnu::noinline]] static int relax(plate &p, int steps, double tolerance, int broken)
{
    for (int t = 0; t < steps; t++) {
        double change = sweep(p.now, p.next, p.n, p.m);
        p.time += 0.5;
        if (t == broken)
            throw std::runtime_error("a step is broken");
        std::swap(p.now, p.next);
        if (change < tolerance)
            return t;
    }
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        double *time = corpus_doubles("time", 1);
        int taken = -1;
        if (points) {
            plate p{{u, u + points}, {v, v + points}, c.nx, c.ny, 0.0};
            try {
                taken = relax(p, c.steps, 0.02, 5 + (c.nx + c.ny) % 9);
            } catch (const std::exception &) {
                taken = -2;
            }
            std::copy(p.now.begin(), p.now.end(), u);
            std::copy(p.next.begin(), p.next.end(), v);
            *time = p.time;
        }
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
