// Each step says which it was, by a character on the stack, and its vectors of vectors change places; a grid that was
// assigned before the loop is assigned in it.
#include "../c/corpus.h"

#include <iostream>
#include <utility>
#include <vector>

using Rows = std::vector<std::vector<double>>;

static void sweep(const Rows &u, Rows &next)
{
    const int n = static_cast<int>(u.size()), m = n ? static_cast<int>(u[0].size()) : 0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            next[i][j] = u[i][j] + 0.1 * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4.0 * u[i][j]);
}

CORPUS_HELPER void moved(Rows &u, Rows &next, int steps)
{
    for (int t = 0; t < steps; t++) {
        sweep(u, next);
        std::swap(u, next);
        std::cout << "step " << t << '\n';
    }
}

CORPUS_HELPER Rows copied(const Rows &first, int steps)
{
    Rows u(first.size(), std::vector<double>(first.empty() ? 0 : first[0].size())), last;
    last = first;
    u = last;
    for (int t = 0; t < steps; t++) {
        sweep(last, u);
        last = u;
    }
    return last;
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
        moved(u, next, c.steps);
        Rows last = copied(u, c.steps);
        for (size_t i = 0; i < u.size(); i++) {
            std::copy(last[i].begin(), last[i].end(), first + i * width);
            std::copy(next[i].begin(), next[i].end(), second + i * width);
        }
        corpus_end();
    }
    return 0;
}
