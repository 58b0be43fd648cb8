// Counters, sizes and the neighbours that each point works out are variables of a namespace; a line is printed now and then.
#include "../c/corpus.h"
#include <iostream>
#include <vector>

namespace field {
int i, j, ip, jp, n, m;
std::vector<double> u, v;

void step()
{
    for (i = 1; i < n - 1; i++)
        for (j = 1; j < m - 1; j++) {
            ip = i + 1;
            jp = j + 1;
            v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[ip * m + j] + u[i * m + j - 1] + u[i * m + jp]);
        }
    for (i = 1; i < n - 1; i++)
        for (j = 1; j < m - 1; j++)
            u[i * m + j] = v[i * m + j];
}
} // namespace field

CORPUS_HELPER void heat(int steps)
{
    for (int t = 0; t < steps; t++) {
        field::step();
        if (t % 5 == 4)
            std::cout << t << "\n";
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        field::n = c.nx, field::m = c.ny;
        field::u.assign(first, first + points);
        field::v.assign(second, second + points);
        field::i = field::j = field::ip = field::jp = -1;
        heat(c.steps);
        std::copy(field::u.begin(), field::u.end(), first);
        std::copy(field::v.begin(), field::v.end(), second);
        corpus_value("i", field::i);
        corpus_value("j", field::j);
        corpus_value("ip", field::ip);
        corpus_value("jp", field::jp);
        corpus_end();
    }
    return 0;
}
