// The new values are copied back by std::copy, row by row and without the border.
#include "../c/corpus.h"

#include <algorithm>
#include <vector>

void heat(std::vector<float> &u, std::vector<float> &next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = 0.2f * (u[i * m + j] + u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                          u[i * m + j + 1]);
        for (int i = 1; i < n - 1; i++)
            std::copy(next.begin() + i * m + 1, next.begin() + (i + 1) * m - 1, u.begin() + i * m + 1);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        float *a = corpus_floats("a", points), *b = corpus_floats("b", points);
        std::vector<float> u(a, a + points), next(b, b + points);
        heat(u, next, c.nx, c.ny, c.steps);
        std::copy(u.begin(), u.end(), a);
        std::copy(next.begin(), next.end(), b);
        corpus_end();
    }
    return 0;
}
