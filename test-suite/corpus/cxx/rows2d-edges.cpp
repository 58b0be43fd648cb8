/* Vectors of vectors that change places, whose first and last rows are set by themselves. */
#include "../c/corpus.h"

#include <utility>
#include <vector>

using Rows = std::vector<std::vector<double>>;

static __attribute__((noinline)) void heat(Rows &u, Rows &v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        for (int j = 0; j < m; j++) {
            v[0][j] = 1.0;
            v[n - 1][j] = v[n - 2][j];
        }
        std::swap(u, v);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        int n = c.nx > 1 && c.ny > 1 ? c.nx : 0, m = n ? c.ny : 0;
        Rows u, v;
        for (int i = 0; i < n; i++)
            u.emplace_back(a + i * m, a + (i + 1) * m);
        v = u;
        if (n)
            heat(u, v, n, m, c.steps);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i * m + j] = u[i][j];
        corpus_end();
    }
    return 0;
}
