// What a cell is made of says what becomes of it: an enumeration, a switch, and cells that are left out with continue.
#include "../c/corpus.h"

#include <utility>
#include <vector>

enum class Cell : unsigned char { fluid, wall, heater, sink };

namespace {

struct Room {
    int n, m;
    std::vector<double> now, next;
    std::vector<Cell> cells;
};

} // namespace

void warm(Room &room, int steps)
{
    const int n = room.n, m = room.m;
    for (int t = 0; t < steps; t++) {
        const auto &u = room.now;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const int p = i * m + j;
                if (room.cells[p] == Cell::wall)
                    continue;
                double around = u[p - m] + u[p + m] + u[p - 1] + u[p + 1];
                switch (room.cells[p]) {
                case Cell::heater:
                    room.next[p] = 0.2 * (u[p] + around) + 0.01;
                    break;
                case Cell::sink:
                    room.next[p] = 0.0;
                    break;
                default:
                    room.next[p] = 0.2 * (u[p] + around);
                }
            }
        std::swap(room.now, room.next);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("now", points), *b = corpus_doubles("next", points);
        uint8_t *kinds = corpus_octets("cells", points);
        Room room{c.nx, c.ny, {a, a + points}, {b, b + points}, {}};
        for (std::size_t k = 0; k < points; k++)
            room.cells.push_back(static_cast<Cell>(kinds[k] % 4));
        warm(room, c.steps);
        std::copy(room.now.begin(), room.now.end(), a);
        std::copy(room.next.begin(), room.next.end(), b);
        corpus_end();
    }
    return 0;
}
