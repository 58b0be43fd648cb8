// Every few steps the grid is written to a file of its own: its name is put together, and rows go through an ofstream.
#include "../c/corpus.h"

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

void save(const std::string &name, const std::vector<double> &u, int n, int m)
{
    std::ofstream file(name);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            file << u[i * m + j] << ' ';
        file << '\n';
    }
}

} // namespace

void heat(std::vector<double> &u, std::vector<double> &v, int n, int m, int steps, int every, const std::string &where)
{
    for (int t = 0; t < steps; t++) {
        if (t % every == 0)
            save(where + std::to_string(t) + ".dat", u, n, m);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                     u[i * m + j + 1] - 4.0 * u[i * m + j]);
        std::swap(u, v);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        std::vector<double> u(a, a + points), v(b, b + points);
        heat(u, v, c.nx, c.ny, c.steps, 10, "/dev/null/none");
        std::copy(u.begin(), u.end(), a);
        std::copy(v.begin(), v.end(), b);
        corpus_end();
    }
    return 0;
}
