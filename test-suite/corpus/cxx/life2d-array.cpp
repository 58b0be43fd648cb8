// Life in arrays of arrays, two worlds that are told apart by the step's parity; the border is dead, as a branch says.
#include "../c/corpus.h"

#include <array>
#include <cstdint>

constexpr int N = 150;
using World = std::array<std::array<std::uint8_t, N>, N>;
static World worlds[2];

static void live(int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        const World &now = worlds[t % 2];
        World &next = worlds[(t + 1) % 2];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int count = 0;
                for (int di = -1; di <= 1; di++)
                    for (int dj = -1; dj <= 1; dj++) {
                        if (di == 0 && dj == 0)
                            continue;
                        if (i + di >= 0 && i + di < n && j + dj >= 0 && j + dj < m)
                            count += now[i + di][j + dj];
                    }
                next[i][j] = count == 3 || (count == 2 && now[i][j] == 1);
            }
    }
}

static __attribute__((noinline)) void settle()
{
    for (World &world : worlds)
        for (auto &row : world)
            for (auto &cell : row)
                cell &= 1;
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("worlds", 'b', worlds, sizeof worlds);
        settle();
        live(c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
