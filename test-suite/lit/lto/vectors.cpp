// C++ whose sweep is in another unit, and walks over vectors: a full link runs what the compile step would have run, and
// ends well.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %hexcxx -O3 -flto=full -c main.cpp && %hexcxx -O3 -flto=full -c sweep.cpp
// RUN: env HEXPASS_REPORT=full.jsonl %hexcxx -O3 -flto=full main.o sweep.o -o full
// RUN: FileCheck %s < full.jsonl
// RUN: env HEXPASS_MODE=off ./full > plain.out
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu ./full > full.out && cmp plain.out full.out
// CHECK: "status":"transformed"

//--- main.cpp
#include <cstdio>
#include <utility>
#include <vector>

void sweep(const std::vector<double> &u, std::vector<double> &v, int n, int m);

int main()
{
    const int n = 300, m = 200;
    std::vector<double> u(n * m), v(n * m);
    for (int i = 0; i < n * m; i++)
        u[i] = v[i] = i * 37 % 101 * 0.01;
    for (int t = 0; t < 40; t++) {
        sweep(u, v, n, m);
        std::swap(u, v);
    }
    double sum = 0.0;
    for (int i = 0; i < n * m; i++)
        sum += u[i] * (i % 7);
    std::printf("%.17g\n", sum);
}

//--- sweep.cpp
#include <vector>

void sweep(const std::vector<double> &u, std::vector<double> &v, int n, int m)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}
