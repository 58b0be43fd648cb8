// Life on a torus in vectors of vectors: neighbours are found by remainders.
#include "../c/corpus.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace {

using Row = std::vector<int>;
using World = std::vector<Row>;

int neighbours(const World &world, int i, int j)
{
    const int n = static_cast<int>(world.size()), m = static_cast<int>(world[0].size());
    int count = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
            if (di != 0 || dj != 0)
                count += world[(i + di + n) % n][(j + dj + m) % m];
    return count;
}

World world(const int *cells, int n, int m)
{
    World rows;
    for (int i = 0; i < n; i++)
        rows.emplace_back(cells + i * m, cells + (i + 1) * m);
    return rows;
}

void save(const World &rows, int *cells)
{
    for (const Row &row : rows)
        cells = std::copy(row.begin(), row.end(), cells);
}

} // namespace

void live(World &now, World &next, int steps)
{
    const int n = static_cast<int>(now.size()), m = static_cast<int>(now[0].size());
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int count = neighbours(now, i, j);
                next[i][j] = count == 3 || (now[i][j] == 1 && count == 2);
            }
        std::swap(now, next);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        int *a = corpus_ints("a", points), *b = corpus_ints("b", points);
        for (std::size_t k = 0; k < points; k++)
            a[k] &= 1;
        World now = world(a, c.nx, c.ny), next = world(b, c.nx, c.ny);
        live(now, next, c.steps);
        save(now, a);
        save(next, b);
        corpus_end();
    }
    return 0;
}
