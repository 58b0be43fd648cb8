// The sine-Gordon equation in vectors that are rotated, with a source that fades: std::sin, std::exp and std::pow in the
// body, so that only the CPU's threads can run it.
#include "../c/corpus.h"

#include <cmath>
#include <utility>
#include <vector>

void pendulums(std::vector<double> &old, std::vector<double> &now, std::vector<double> &next,
               const std::vector<double> &place, int steps)
{
    const int n = static_cast<int>(now.size());
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            double bend = now[i - 1] - 2.0 * now[i] + now[i + 1];
            double source = std::exp(-place[i] * place[i]) * std::pow(std::fabs(now[i]), 0.75);
            next[i] = 2.0 * now[i] - old[i] + 0.2 * bend - 0.01 * std::sin(now[i]) + 0.001 * source;
        }
        std::swap(old, now);
        std::swap(now, next);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, 1, 1);
        double *all[4];
        const char *names[] = {"old", "now", "next", "place"};
        std::vector<double> fields[4];
        for (int k = 0; k < 4; k++) {
            all[k] = corpus_doubles(names[k], points);
            fields[k].assign(all[k], all[k] + points);
        }
        pendulums(fields[0], fields[1], fields[2], fields[3], c.steps);
        for (int k = 0; k < 4; k++)
            std::copy(fields[k].begin(), fields[k].end(), all[k]);
        corpus_end();
    }
    return 0;
}
