// The last step is kept by assignment of one valarray to another, which is empty at first, or longer: memory is allocated in
// the first step.
#include "../c/corpus.h"

#include <algorithm>
#include <valarray>

static void heat(std::valarray<double> &u, std::valarray<double> &old, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        old = u;
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
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        std::valarray<double> u(first, points), old(second, points);
        if (c.nx % 3 == 1)
            old.resize(0);
        if (c.nx % 3 == 2)
            old.resize(points + 5);
        heat(u, old, c.nx, c.ny, c.steps);
        std::copy(std::begin(u), std::end(u), first);
        std::copy(std::begin(old), std::begin(old) + std::min(old.size(), points), second);
        corpus_value("length", (int64_t)old.size());
        corpus_end();
    }
    return 0;
}
