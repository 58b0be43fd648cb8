// The wave equation on three vectors in an array, told apart by the step modulo three.
#include "../c/corpus.h"

#include <array>
#include <vector>

using Level = std::vector<float>;

void wave(std::array<Level, 3> &u, int n, int m, float courant, int steps)
{
    for (int t = 0; t < steps; t++) {
        const Level &old = u[t % 3], &now = u[(t + 1) % 3];
        Level &next = u[(t + 2) % 3];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const int p = i * m + j;
                next[p] = 2.0f * now[p] - old[p] +
                          courant * (now[p - m] + now[p + m] + now[p - 1] + now[p + 1] - 4.0f * now[p]);
            }
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        const char *names[] = {"a", "b", "c"};
        float *all[3];
        std::array<Level, 3> u;
        for (int k = 0; k < 3; k++) {
            all[k] = corpus_floats(names[k], points);
            u[k].assign(all[k], all[k] + points);
        }
        wave(u, c.nx, c.ny, 0.2f, c.steps);
        for (int k = 0; k < 3; k++)
            std::copy(u[k].begin(), u[k].end(), all[k]);
        corpus_end();
    }
    return 0;
}
