// Checks that LLVM has made questions for equality of (`i + 1 == length`, since `i` has been checked): they are asked for the
// whole sweep before it runs, and where one fails, it fails where it did.
// RUN: %hexcxx -O3 -gline-tables-only -o %t -Rpass=hexpass %s 2>&1 | FileCheck %s
// RUN: env HEXPASS_MODE=off %t > %t.off
// RUN: env HEXPASS_DEVICE=cpu %t > %t.cpu
// RUN: env HEXPASS_DEVICE=emulated %t > %t.emulated
// RUN: diff %t.off %t.cpu
// RUN: diff %t.off %t.emulated

#include <array>
#include <cstdio>
#include <stdexcept>

using Grid = std::array<std::array<double, 50>, 40>;

static Grid u, v;

__attribute__((noinline)) void jacobi(int first, int n, int m, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (int t = 0; t < steps; t++) {
        for (int i = first; i < n; i++)
            for (int j = first; j < m; j++)
                v.at(i).at(j) = 0.25 * (u.at(i - 1).at(j) + u.at(i + 1).at(j) + u.at(i).at(j - 1) + u.at(i).at(j + 1));
        for (int i = first; i < n; i++)
            for (int j = first; j < m; j++)
                u.at(i).at(j) = v.at(i).at(j);
    }
}

static void run(int first, int n, int m, int steps)
{
    for (int k = 0; k < 2000; k++)
        u[k / 50][k % 50] = v[k / 50][k % 50] = (k * 37 % 101) / 101.0;
    try {
        jacobi(first, n, m, steps);
    } catch (const std::out_of_range &) {
        std::printf("thrown: ");
    }
    double sum = 0.0;
    for (int k = 0; k < 2000; k++)
        sum += (u[k / 50][k % 50] - 0.5 * v[k / 50][k % 50]) * (1.0 + 1e-3 * k);
    std::printf("%d %d %d %d: %.17g\n", first, n, m, steps, sum);
}

int main()
{
    for (int steps : {0, 1, 6}) {
        run(1, 39, 49, steps);
        run(1, 20, 30, steps);
        run(1, 40, 49, steps);
        run(1, 39, 50, steps);
        run(1, 41, 60, steps);
        run(0, 39, 49, steps);
        run(-1, 20, 20, steps);
        run(60, 50, 70, steps);
        run(60, 70, 70, steps);
    }
}
