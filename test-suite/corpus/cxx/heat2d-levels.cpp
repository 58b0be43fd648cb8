// Every time level is a grid of its own, in vectors of vectors of vectors: u[t + 1] follows from u[t].
#include "../c/corpus.h"

#include <vector>

using Row = std::vector<double>;
using Grid = std::vector<Row>;

void heat(std::vector<Grid> &u, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[t + 1][i][j] = 0.25 * (u[t][i - 1][j] + u[t][i + 1][j] + u[t][i][j - 1] + u[t][i][j + 1]);
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int levels = c.steps > 0 ? c.steps + 1 : 1;
        double *all = corpus_doubles("u", corpus_points(c.nx, c.ny, levels));
        std::vector<Grid> u(levels, Grid(c.nx));
        const double *from = all;
        for (Grid &grid : u)
            for (Row &row : grid) {
                row.assign(from, from + c.ny);
                from += c.ny;
            }
        heat(u, c.nx, c.ny, c.steps);
        for (const Grid &grid : u)
            for (const Row &row : grid)
                all = std::copy(row.begin(), row.end(), all);
        corpus_end();
    }
    return 0;
}
