// A vector of vectors of vectors that is assigned in each step.
#include "../c/corpus.h"

#include <vector>

namespace {

using Grid = std::vector<std::vector<std::vector<float>>>;

__attribute__((noinline)) void run(Grid &u, Grid &v, int steps)
{
    const int n = u.size(), m = u[0].size(), l = u[0][0].size();
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++)
                    v[i][j][k] = u[i][j][k] + 0.1f * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k] +
                                                      u[i][j][k - 1] + u[i][j][k + 1] - 6.0f * u[i][j][k]);
        u = v;
    }
}

Grid grid(const float *all, const corpus_case &c)
{
    Grid u(c.nx);
    for (auto &plane : u)
        plane.resize(c.ny);
    // One row behind the other, as far as the heap has them.
    for (auto &plane : u)
        for (auto &row : plane) {
            row.assign(all, all + c.nz);
            all += c.nz;
        }
    return u;
}

void save(const Grid &u, float *all)
{
    for (const auto &plane : u)
        for (const auto &row : plane)
            for (float x : row)
                *all++ = x;
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, c.nz);
        float *first = corpus_floats("u", points), *second = corpus_floats("v", points);
        Grid u = grid(first, c), v = grid(second, c);
        run(u, v, c.steps);
        save(u, first);
        save(v, second);
        corpus_end();
    }
    return 0;
}
