// Heat on a torus in vectors of vectors whose neighbours' numbers stand in vectors; the grids are walked through afterwards.
#include "../c/corpus.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace {

using Grid = std::vector<std::vector<double>>;

Grid grid(const double *values, int n, int m)
{
    Grid rows;
    for (int i = 0; i < n; i++)
        rows.emplace_back(values + i * m, values + (i + 1) * m);
    return rows;
}

void save(const Grid &rows, double *values)
{
    for (const auto &row : rows)
        values = std::copy(row.begin(), row.end(), values);
}

} // namespace

CORPUS_HELPER void heat(double *first, double *second, int n, int m, int steps)
{
    Grid u = grid(first, n, m), v = grid(second, n, m);
    std::vector<int> next(n), previous(n), right(m), left(m);
    for (int i = 0; i < n; i++) {
        next[i] = (i + 1) % n;
        previous[i] = (i - 1 + n) % n;
    }
    for (int j = 0; j < m; j++) {
        right[j] = (j + 1) % m;
        left[j] = (j - 1 + m) % m;
    }
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                v[i][j] = u[i][j] +
                          0.2 * (u[next[i]][j] + u[previous[i]][j] + u[i][right[j]] + u[i][left[j]] - 4.0 * u[i][j]);
        std::swap(u, v);
    }
    save(u, first);
    save(v, second);
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        if (c.nx > 0 && c.ny > 0)
            heat(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
