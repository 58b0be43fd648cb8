// A step ends the loop once the stream that it prints to has failed, before it copies; the stream fails in one of the steps.
#include "../c/corpus.h"
#include <iostream>
#include <vector>

CORPUS_HELPER int heat(std::vector<double> &u, std::vector<double> &next, int n, int m, int steps)
{
    int t = 0;
    for (; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = u[i * m + j] + 0.1 * (u[(i + 1) * m + j] + u[(i - 1) * m + j] + u[i * m + j + 1] +
                                                        u[i * m + j - 1] - 4.0 * u[i * m + j]);
        std::cout << t << "\n";
        if (t == 5)
            std::cout.setstate(std::ios::failbit);
        if (!std::cout)
            break;
        u = next;
    }
    std::cout.clear();
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("next", points);
        std::vector<double> u(first, first + points), next(second, second + points);
        corpus_value("taken", points ? heat(u, next, c.nx, c.ny, c.steps) : 0);
        std::copy(u.begin(), u.end(), first);
        std::copy(next.begin(), next.end(), second);
        corpus_end();
    }
    return 0;
}
