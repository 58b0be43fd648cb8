// A gas in cells of four numbers, in a class with a halo; its walls are cells that a method has turned round.
#include "../c/corpus.h"
#include <cstring>
#include <utility>
#include <vector>

namespace {

struct Cell {
    double rho, mx, my, e;
    Cell mirrored_x() const { return {rho, -mx, my, e}; }
    Cell mirrored_y() const { return {rho, mx, -my, e}; }
};

class Gas {
public:
    Gas(int nx, int ny) : nx(nx), ny(ny), cells((nx + 2) * (ny + 2)) {}
    Cell &operator()(int i, int j) { return cells[i * (ny + 2) + j]; }
    const Cell &operator()(int i, int j) const { return cells[i * (ny + 2) + j]; }

    void walls()
    {
        for (int j = 0; j <= ny + 1; j++) {
            (*this)(0, j) = (*this)(1, j).mirrored_x();
            (*this)(nx + 1, j) = (*this)(nx, j);
        }
        for (int i = 0; i <= nx + 1; i++) {
            (*this)(i, 0) = (*this)(i, 1).mirrored_y();
            (*this)(i, ny + 1) = (*this)(i, ny);
        }
    }

    int nx, ny;
    std::vector<Cell> cells;
};

void flow(Gas &q, Gas &next, int steps)
{
    int n = q.nx, m = q.ny;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= m; j++) {
                const Cell &w = q(i - 1, j), &e = q(i + 1, j), &s = q(i, j - 1), &o = q(i, j + 1);
                Cell &c = next(i, j);
                c.rho = 0.25 * (w.rho + e.rho + s.rho + o.rho) - 0.1 * (e.mx - w.mx + o.my - s.my);
                c.mx = 0.25 * (w.mx + e.mx + s.mx + o.mx) - 0.1 * (e.e - w.e);
                c.my = 0.25 * (w.my + e.my + s.my + o.my) - 0.1 * (o.e - s.e);
                c.e = 0.25 * (w.e + e.e + s.e + o.e);
            }
        next.walls();
        std::swap(q, next);
    }
}

} // namespace

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *start = corpus_doubles("start", corpus_points(c.nx, c.ny, 4));
        double *end = corpus_doubles("end", corpus_points(c.nx, c.ny, 4));
        int n = c.nx - 2, m = c.ny - 2;
        Gas q(n, m), next(n, m);
        std::memcpy(q.cells.data(), start, q.cells.size() * sizeof(Cell));
        flow(q, next, c.steps);
        std::memcpy(end, q.cells.data(), q.cells.size() * sizeof(Cell));
        corpus_end();
    }
    return 0;
}
