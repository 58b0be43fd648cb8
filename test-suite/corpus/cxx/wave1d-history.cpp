// A string of which every step is kept, as a vector of its own; the next one follows from the last two.
#include "../c/corpus.h"

#include <vector>

void wave(std::vector<std::vector<double>> &u, int steps)
{
    const int n = static_cast<int>(u[0].size());
    for (int t = 1; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            u[t + 1][i] = 2.0 * u[t][i] - u[t - 1][i] + 0.25 * (u[t][i - 1] - 2.0 * u[t][i] + u[t][i + 1]);
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int levels = c.steps > 1 ? c.steps + 1 : 2;
        double *all = corpus_doubles("u", corpus_points(levels, c.nx, 1));
        std::vector<std::vector<double>> u;
        for (int t = 0; t < levels; t++)
            u.emplace_back(all + t * c.nx, all + (t + 1) * c.nx);
        wave(u, c.steps);
        for (const std::vector<double> &level : u)
            all = std::copy(level.begin(), level.end(), all);
        corpus_end();
    }
    return 0;
}
