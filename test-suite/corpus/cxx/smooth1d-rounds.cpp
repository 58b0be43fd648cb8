// Vectors of the caller's, by reference, exchange what they own in each step, and rounds of steps follow each other.
#include "../c/corpus.h"

#include <algorithm>
#include <utility>
#include <vector>

static __attribute__((noinline)) void smooth(std::vector<double> &now, std::vector<double> &next, int n, int steps)
{
    for (int round = 0; round < 3; round++)
        for (int t = 0; t < steps; t++) {
            for (int i = 1; i < n - 1; i++)
                next[i] = 0.5 * (now[i - 1] + now[i + 1]);
            now.swap(next);
        }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, 1, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        std::vector<double> now(a, a + points), next(b, b + points);
        smooth(now, next, c.nx, c.steps);
        std::copy(now.begin(), now.end(), a);
        std::copy(next.begin(), next.end(), b);
        corpus_end();
    }
    return 0;
}
