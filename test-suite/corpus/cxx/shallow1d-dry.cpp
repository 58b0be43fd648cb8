// Shallow water with dry cells: depth and flow change only where a cell is wet, in a structure's arrays; what is nothing is
// returned in memory.
#include "../c/corpus.h"

#include <algorithm>
#include <cmath>

namespace {

struct Nothing {
    Nothing() {}
    Nothing(const Nothing &) {}
    ~Nothing() {}
};

__attribute__((noinline)) Nothing nothing(const Nothing &of)
{
    return of;
}

struct Water {
    double *h, *q;
    int n;
    Water(double *h, double *q, int n) : h(h), q(q), n(n) {}
};

} // namespace

CORPUS_HELPER void flow(double *depth, double *flux, double *mass, double *momentum, int *dry, int n, int steps)
{
    Nothing first, second = nothing(first);
    Water w(depth, flux, n);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < w.n - 1; i++)
            dry[i] = std::max(w.h[i + 1], std::max(w.h[i], w.h[i - 1])) <= 0.1;
        for (int i = 0; i < w.n - 1; i++) {
            mass[i] = 0.1 * (w.h[i] - w.h[i + 1]);
            momentum[i] = 0.1 * (w.q[i] - w.q[i + 1]) + 0.05 * (w.h[i] + w.h[i + 1]);
        }
        for (int i = 1; i < w.n - 1; i++)
            if (!dry[i]) {
                w.h[i] += -0.1 * (mass[i] - mass[i - 1]);
                w.q[i] = w.h[i] <= 0.1 ? 0 : w.q[i] - 0.1 * (momentum[i] - momentum[i - 1]);
            }
    }
    (void)second;
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, 1, 1);
        double *h = corpus_doubles("h", points), *q = corpus_doubles("q", points);
        double *mass = corpus_doubles("mass", points), *momentum = corpus_doubles("momentum", points);
        flow(h, q, mass, momentum, corpus_ints("dry", points), c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
