// A map of what stands where, in vectors of vectors: walls keep what they are, all else has neighbours.
#include "../c/corpus.h"
#include <utility>
#include <vector>

using Grid = std::vector<std::vector<double>>;

void run(Grid &u, Grid &v, const std::vector<std::vector<int>> &map, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                if (map[i][j] == 1) {
                    v[i][j] = u[i][j];
                    continue;
                }
                double around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
                v[i][j] = u[i][j] + (map[i][j] == 2 ? 0.0625 : 0.125) * (around - 4 * u[i][j]);
            }
        std::swap(u, v);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *first = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        Grid u(c.nx, std::vector<double>(c.ny)), v = u;
        std::vector<std::vector<int>> map(c.nx, std::vector<int>(c.ny));
        for (int i = 0; i < c.nx; i++)
            for (int j = 0; j < c.ny; j++) {
                bool wall = i == 0 || j == 0 || i == c.nx - 1 || j == c.ny - 1 || (7 * i + 3 * j) % 11 == 0;
                map[i][j] = wall ? 1 : (i + j) % 5 == 0 ? 2 : 0;
                u[i][j] = first[i * c.ny + j];
            }
        run(u, v, map, c.nx, c.ny, c.steps);
        for (int i = 0; i < c.nx; i++)
            for (int j = 0; j < c.ny; j++)
                first[i * c.ny + j] = u[i][j];
        corpus_end();
    }
    return 0;
}
