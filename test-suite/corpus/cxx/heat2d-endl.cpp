// Vectors of vectors, of which each step copies the new one over the old one; lines that end by `std::endl` stand before the
// sweep and between the two, of which neither looks at the grids.
#include "../c/corpus.h"
#include <iostream>
#include <vector>

using Rows = std::vector<std::vector<double>>;

CORPUS_HELPER void heat(Rows &u, Rows &next, int steps)
{
    const int n = static_cast<int>(u.size()), m = n ? static_cast<int>(u[0].size()) : 0;
    for (int t = 0; t < steps; t++) {
        if (t % 4 == 0)
            std::cout << "step " << t << std::endl;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i][j] = u[i][j] + 0.1 * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4.0 * u[i][j]);
        if (t % 7 == 3)
            std::cout << "time " << 0.5 * t << std::endl;
        u = next;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1), width = points ? static_cast<size_t>(c.ny) : 0;
        double *first = corpus_doubles("u", points), *second = corpus_doubles("next", points);
        Rows u, next;
        for (size_t at = 0; at < points; at += width) {
            u.emplace_back(first + at, first + at + width);
            next.emplace_back(second + at, second + at + width);
        }
        heat(u, next, c.steps);
        for (size_t i = 0; i < u.size(); i++) {
            std::copy(u[i].begin(), u[i].end(), first + i * width);
            std::copy(next[i].begin(), next[i].end(), second + i * width);
        }
        corpus_end();
    }
    return 0;
}
