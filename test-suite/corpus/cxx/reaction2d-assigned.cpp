// Two fields that react and diffuse; the last step of each is kept by assignment of whole vectors, of which one is empty at
// first, or longer, or both are.
#include "../c/corpus.h"

#include <algorithm>
#include <vector>

struct fields {
    std::vector<double> u, v, u0, v0;
};

static void react(fields &f, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        f.u0 = f.u;
        f.v0 = f.v;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                double more = f.u0[k] * f.v0[k] * f.v0[k];
                f.u[k] = f.u0[k] + 0.1 * (f.u0[k - m] + f.u0[k + m] + f.u0[k - 1] + f.u0[k + 1] - 4.0 * f.u0[k]) - 0.01 * more;
                f.v[k] = f.v0[k] + 0.05 * (f.v0[k - m] + f.v0[k + m] + f.v0[k - 1] + f.v0[k + 1] - 4.0 * f.v0[k]) + 0.01 * more;
            }
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *first = corpus_doubles("u", points), *second = corpus_doubles("v", points);
        double *third = corpus_doubles("u0", points);
        fields f{{first, first + points}, {second, second + points}, {third, third + points}, {}};
        if (c.nx % 3 == 1)
            f.u0.resize(points + 3);
        if (c.nx % 3 == 2)
            f.u0.clear();
        react(f, c.nx, c.ny, c.steps);
        std::copy(f.u.begin(), f.u.end(), first);
        std::copy(f.v.begin(), f.v.end(), second);
        std::copy(f.u0.begin(), f.u0.begin() + std::min(f.u0.size(), points), third);
        corpus_value("length", (int64_t)(f.u0.size() + 3 * f.v0.size()));
        corpus_end();
    }
    return 0;
}
