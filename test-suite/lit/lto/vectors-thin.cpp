// C++ whose sweep is in another unit, in a thin link: a class with vectors there, its step called here.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %hexcxx -O3 -flto=thin -c main.cpp && %hexcxx -O3 -flto=thin -c plate.cpp
// RUN: env HEXPASS_REPORT=thin.jsonl %hexcxx -O3 -flto=thin main.o plate.o -o thin
// RUN: FileCheck %s < thin.jsonl
// RUN: env HEXPASS_MODE=off ./thin > plain.out
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu ./thin > thin.out && cmp plain.out thin.out
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=emulated ./thin > thin.out && cmp plain.out thin.out
// CHECK: {{"apart":false.*"function":"main".*"status":"transformed"}}

//--- plate.h
#include <vector>

class Plate {
public:
    Plate(int n, int m);
    void step();
    double sum() const;

private:
    int n, m;
    std::vector<double> u, v;
};

//--- main.cpp
#include "plate.h"

#include <cstdio>

int main()
{
    Plate plate(300, 200);
    for (int t = 0; t < 40; t++)
        plate.step();
    std::printf("%.17g\n", plate.sum());
}

//--- plate.cpp
#include "plate.h"

#include <utility>

Plate::Plate(int n, int m) : n(n), m(m), u(n * m), v(n * m)
{
    for (int i = 0; i < n * m; i++)
        u[i] = v[i] = i * 37 % 101 * 0.01;
}

void Plate::step()
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    std::swap(u, v);
}

double Plate::sum() const
{
    double all = 0.0;
    for (int i = 0; i < n * m; i++)
        all += u[i] * (i % 7);
    return all;
}
