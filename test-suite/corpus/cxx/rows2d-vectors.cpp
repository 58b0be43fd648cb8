// A vector of vectors, swapped after each step; cells that are too hot are limited.
#include "../c/corpus.h"
#include <algorithm>
#include <vector>

/* One piece of memory behind another, as a fresh heap gives them. */
template <class T> struct Fresh {
    using value_type = T;
    Fresh() = default;
    template <class U> Fresh(const Fresh<U> &) {}
    T *allocate(size_t count)
    {
        static double memory[1 << 21];
        static size_t used;
        size_t words = (count * sizeof(T) + sizeof(double) - 1) / sizeof(double) + 2;
        used = used + words > sizeof memory / sizeof *memory ? words : used + words;
        return reinterpret_cast<T *>(memory + used - words);
    }
    void deallocate(T *, size_t) {}
    friend bool operator==(const Fresh &, const Fresh &) { return true; }
    friend bool operator!=(const Fresh &, const Fresh &) { return false; }
};

using Row = std::vector<double, Fresh<double>>;
using Grid = std::vector<Row, Fresh<Row>>;

static Grid grid(const double *all, int n, int m)
{
    Grid rows(n > 0 ? n : 0, Row(m > 0 ? m : 0));
    for (auto &row : rows) {
        std::copy(all, all + row.size(), row.begin());
        all += row.size();
    }
    return rows;
}

static void save(const Grid &rows, double *all)
{
    for (const auto &row : rows)
        all = std::copy(row.begin(), row.end(), all);
}

void relax(Grid &u, Grid &v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i][j] = std::min(0.75, 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]));
        std::swap(u, v);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *first = corpus_doubles("u", corpus_points(c.nx, c.ny, 1));
        double *second = corpus_doubles("v", corpus_points(c.nx, c.ny, 1));
        Grid u = grid(first, c.nx, c.ny), v = grid(second, c.nx, c.ny);
        relax(u, v, c.nx, c.ny, c.steps);
        save(u, first);
        save(v, second);
        corpus_end();
    }
    return 0;
}
