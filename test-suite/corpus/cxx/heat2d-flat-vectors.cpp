// Five points on vectors; the last step is kept by one loop over all elements, however many the vector has.
#include "../c/corpus.h"

#include <vector>

static void heat(std::vector<double> &u, std::vector<double> &old, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (std::size_t k = 0; k < u.size(); k++)
            old[k] = u[k];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = old[i * m + j] + 0.1 * (old[(i - 1) * m + j] + old[(i + 1) * m + j] + old[i * m + j - 1] +
                                                       old[i * m + j + 1] - 4.0 * old[i * m + j]);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("old", points);
        std::vector<double> u(first, first + points), old(second, second + points);
        heat(u, old, c.nx, c.ny, c.steps);
        std::copy(u.begin(), u.end(), first);
        std::copy(old.begin(), old.end(), second);
        corpus_end();
    }
    return 0;
}
