// Lattice Boltzmann with nine populations a cell, loops over them, and solid cells; vectors of cells are swapped.
#include "../c/corpus.h"

#include <array>
#include <utility>
#include <vector>

constexpr int Q = 9;
constexpr std::array<int, Q> cx = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constexpr std::array<int, Q> cy = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constexpr std::array<int, Q> opposite = {0, 3, 4, 1, 2, 7, 8, 5, 6};
constexpr std::array<double, Q> weight = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                          1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

struct Cell {
    double f[Q];
};

static void flow(std::vector<Cell> &now, std::vector<Cell> &next, const std::vector<int> &solid, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                double f[Q], density = 0.0, ux = 0.0, uy = 0.0;
                for (int q = 0; q < Q; q++) {
                    f[q] = now[(i - cx[q]) * m + j - cy[q]].f[q];
                    density += f[q];
                    ux += cx[q] * f[q];
                    uy += cy[q] * f[q];
                }
                Cell &cell = next[i * m + j];
                if (solid[i * m + j] > 3000) {
                    for (int q = 0; q < Q; q++)
                        cell.f[q] = f[opposite[q]];
                    continue;
                }
                for (int q = 0; q < Q; q++) {
                    double along = 3.0 * (cx[q] * ux + cy[q] * uy);
                    double rest = weight[q] * (density + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy));
                    cell.f[q] = f[q] + 0.6 * (rest - f[q]);
                }
            }
        std::swap(now, next);
    }
}

static __attribute__((noinline)) std::vector<Cell> cells(const double *values, std::size_t points)
{
    std::vector<Cell> all(points);
    for (std::size_t i = 0; i < points; i++)
        for (int q = 0; q < Q; q++)
            all[i].f[q] = weight[q] + 0.001 * values[i * Q + q];
    return all;
}

static __attribute__((noinline)) void show(const std::vector<Cell> &all, double *values)
{
    for (std::size_t i = 0; i < all.size(); i++)
        for (int q = 0; q < Q; q++)
            values[i * Q + q] = all[i].f[q];
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("now", Q * points), *second = corpus_doubles("next", Q * points);
        int *walls = corpus_ints("solid", points);
        std::vector<Cell> now = cells(first, points), next = cells(second, points);
        std::vector<int> solid(walls, walls + points);
        flow(now, next, solid, c.nx, c.ny, c.steps);
        show(now, first);
        show(next, second);
        corpus_end();
    }
    return 0;
}
