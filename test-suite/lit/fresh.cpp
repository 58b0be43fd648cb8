// Vectors behind references that each step makes anew: what they hold is right when an allocation throws, whatever their
// lengths are, and of a fill no element is left out.
// RUN: %hexcxx -O3 -gline-tables-only -o %t -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: diff %t.off %t.cpu
// RUN: diff %t.off %t.emulated

#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

static long left = -1, alive = 0;

void *operator new(std::size_t size)
{
    if (left == 0)
        throw std::bad_alloc();
    left -= left > 0;
    alive++;
    if (void *at = std::malloc(size))
        return at;
    throw std::bad_alloc();
}

void operator delete(void *at) noexcept
{
    alive -= at != nullptr;
    std::free(at);
}

void operator delete(void *at, std::size_t) noexcept { operator delete(at); }

__attribute__((noinline)) void moved(std::vector<double> &u, int n, int m, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (int t = 0; t < steps; t++) {
        std::vector<double> next(u.size());
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = u[i * m + j] + 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] - 2.0 * u[i * m + j - 1]);
        u = std::move(next);
    }
}

// Vectors of other lengths than rows times columns, and of one element.
__attribute__((noinline)) void made(std::vector<double> &u, int count, int n, int m, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (int t = 0; t < steps; t++) {
        std::vector<double> next(count);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = u[i * m + j] + 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] - 2.0 * u[i * m + j - 1]);
        u.swap(next);
    }
}

// Each step fills a vector of a length that it counts: the compiler ends.
__attribute__((noinline)) void pushed(std::vector<double> &u, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        std::vector<double> next;
        next.reserve(n);
        for (int i = 0; i < n; i++)
            next.push_back(i == 0 || i == n - 1 ? u[i] : 0.5 * (u[i - 1] + u[i + 1]));
        u = std::move(next);
    }
}

static void show(const char *what, const std::vector<double> &u)
{
    double sum = 0.0;
    for (std::size_t k = 0; k < u.size(); k++)
        sum += u[k] * (1.0 + 1e-3 * k);
    std::printf("%s: %zu elements, %.17g, %ld alive\n", what, u.size(), sum, alive);
}

static std::vector<double> varied(std::size_t count)
{
    std::vector<double> u(count);
    for (std::size_t k = 0; k < count; k++)
        u[k] = (k * 37 % 101) / 101.0;
    return u;
}

int main()
{
    for (int steps : {0, 1, 2, 9}) {
        std::vector<double> u = varied(40 * 30);
        moved(u, 40, 30, steps);
        show("moved", u);
    }
    // In the first step, and in the second, whose vector is the first to be kept.
    for (long allocations : {0, 1}) {
        std::vector<double> u = varied(40 * 30);
        left = allocations;
        try {
            moved(u, 40, 30, 5);
        } catch (const std::bad_alloc &) {
            std::printf("thrown: ");
        }
        left = -1;
        show("moved", u);
    }
    for (int more : {0, 1, 7, 30}) {
        std::vector<double> u = varied(40 * 30 + more);
        made(u, 40 * 30 + more, 40, 30, 6);
        show("made", u);
        u = varied(40 * 30);
        made(u, 40 * 30 + more, 40, 30, 6);
        show("longer", u);
    }
    for (int count : {0, 1, 2, 5}) {
        std::vector<double> u = varied(count);
        made(u, count, 1, count, 4);
        show("few", u);
        u = varied(9);
        made(u, 9 + count, 3, 3, 4);
        show("nine", u);
    }
    std::vector<double> u = varied(50);
    pushed(u, 50, 4);
    show("pushed", u);
}
