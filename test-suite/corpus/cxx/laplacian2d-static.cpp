// A template over the size: two grids of a fixed size in a class, and which of them holds the present.
#include "../c/corpus.h"

namespace {

template <class T, int N> class Plate {
public:
    void step(int n, int m)
    {
        const auto &u = grids[present];
        auto &v = grids[1 - present];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i][j] = T(0.5) * u[i][j] + T(0.125) * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        present = 1 - present;
    }

    void run(int n, int m, int steps)
    {
        for (int t = 0; t < steps; t++)
            step(n, m);
    }

    T grids[2][N][N];
    int present = 0;
};

Plate<float, 150> plate;

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("grids", 'f', plate.grids, sizeof plate.grids);
        plate.run(c.nx, c.ny, c.steps);
        corpus_value("present", plate.present);
        corpus_end();
    }
    return 0;
}
