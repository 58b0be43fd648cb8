// Grids with an owner of their storage, swapped with their sizes: two that lie apart are taken, one that is swapped with itself
// keeps what it has, and nothing is freed twice, or not at all.
// RUN: %hexcxx -O3 -gline-tables-only -o %t -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: diff %t.off %t.cpu
// RUN: diff %t.off %t.emulated

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

static long freed = 0;

__attribute__((noinline)) void operator delete[](void *at) noexcept
{
    freed += at != nullptr;
    std::free(at);
}

__attribute__((noinline)) void operator delete[](void *at, std::size_t) noexcept { operator delete[](at); }

void *operator new[](std::size_t size) { return std::malloc(size); }

struct Grid {
    std::unique_ptr<double[]> at;
    int n, m;
    Grid(int n, int m) : at(new double[std::size_t(n) * m]), n(n), m(m)
    {
        for (int k = 0; k < n * m; k++)
            at[k] = (k * 37 % 101) / 101.0 + m;
    }
    double &operator()(int i, int j) { return at[i * m + j]; }
};

__attribute__((noinline)) void relax(Grid &u, Grid &v, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < u.n - 1; i++)
            for (int j = 1; j < u.m - 1; j++)
                v(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
        std::swap(u, v);
    }
}

// What the second one has is not put into the first: it is freed, as is the first one's.
__attribute__((noinline)) void dropped(Grid &u, Grid &v, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < u.n - 1; i++)
            for (int j = 1; j < u.m - 1; j++)
                v(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
        if (t == 3)
            u.at = std::move(v.at), v.at.reset(new double[std::size_t(v.n) * v.m]());
    }
}

static void show(const char *what, Grid &u)
{
    double sum = 0.0;
    for (int k = 0; k < u.n * u.m; k++)
        sum += u.at[k] * (1.0 + 1e-3 * k);
    std::printf("%s: %d x %d, %.17g, %ld freed\n", what, u.n, u.m, sum, freed);
}

int main()
{
    for (int steps : {0, 1, 2, 9}) {
        Grid u(40, 30), v(40, 30), w(40, 50);
        relax(u, v, steps);
        show("u", u), show("v", v);
        relax(v, v, steps);
        show("one", v);
        // Of other sizes.
        relax(u, w, steps);
        show("u", u), show("w", w);
        dropped(u, u, steps);
        show("one", u);
        Grid x(20, 30), y(20, 30);
        dropped(x, y, steps);
        show("x", x), show("y", y);
    }
    std::printf("%ld freed\n", freed);
}
