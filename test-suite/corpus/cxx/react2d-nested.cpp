// Two substances in vectors of vectors that each step copies there and back; every few steps somebody looks.
#include "../c/corpus.h"

#include <cstdio>
#include <vector>

namespace {

using Grid = std::vector<std::vector<double>>;

Grid u, v;

void step()
{
    Grid nextU = u, nextV = v;
    const int n = u.size(), m = u[0].size();
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            const double a = u[i][j], b = v[i][j];
            const double spreadA = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * a;
            const double spreadB = v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1] - 4.0 * b;
            nextU[i][j] = a + 0.05 * (0.16 * spreadA - a * b * b + 0.035 * (1.0 - a));
            nextV[i][j] = b + 0.05 * (0.08 * spreadB + a * b * b - 0.1 * b);
        }
    u = nextU;
    v = nextV;
}

__attribute__((noinline)) void look(int t, std::vector<double> &seen)
{
    char line[64];
    std::snprintf(line, sizeof line, "%d %.9g", t, u[u.size() / 2][1]);
    for (const char *c = line; *c; c++)
        seen.push_back(*c);
}

__attribute__((noinline)) double run(int steps)
{
    std::vector<double> seen;
    for (int t = 0; t < steps; t++) {
        step();
        if (t % 7 == 3)
            look(t, seen);
    }
    double sum = 0.0;
    for (double x : seen)
        sum = 0.5 * sum + x;
    return sum;
}

__attribute__((noinline)) void fill(Grid &g, const double *all, int n, int m)
{
    g.clear();
    for (int i = 0; i < n; i++)
        g.emplace_back(all + std::size_t(i) * m, all + std::size_t(i + 1) * m);
}

__attribute__((noinline)) void save(const Grid &g, double *all)
{
    for (const auto &row : g)
        for (double x : row)
            *all++ = x;
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        double *sum = corpus_doubles("sum", 1);
        fill(u, first, c.nx, c.ny);
        fill(v, second, c.nx, c.ny);
        sum[0] = run(c.steps);
        save(u, first);
        save(v, second);
        corpus_end();
    }
    return 0;
}
