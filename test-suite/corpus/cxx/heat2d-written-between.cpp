// A file has the new values every few steps, before a vector is assigned to the other one; to write may throw.
#include "../c/corpus.h"
#include <fstream>
#include <vector>

CORPUS_HELPER void heat(std::vector<double> &u, std::vector<double> &next, int n, int m, int steps, std::ostream &out)
{
    for (int t = 1; t <= steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = u[i * m + j] + 0.1 * (u[(i + 1) * m + j] + u[(i - 1) * m + j] + u[i * m + j + 1] +
                                                        u[i * m + j - 1] - 4.0 * u[i * m + j]);
        if (t % 5 == 0)
            for (int j = 0; j < m; j++)
                out << next[n / 2 * m + j] << " ";
        u = next;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    std::ofstream out("/dev/null");
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("next", points);
        std::vector<double> u(first, first + points), next(second, second + points);
        if (points)
            heat(u, next, c.nx, c.ny, c.steps, out);
        std::copy(u.begin(), u.end(), first);
        std::copy(next.begin(), next.end(), second);
        corpus_end();
    }
    return 0;
}
