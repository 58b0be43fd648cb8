// The wave equation on vectors: what a point hears is pushed to another vector in each step, and the source is a function
// that somebody has handed over.
#include "../c/corpus.h"

#include <cmath>
#include <functional>
#include <vector>

using Field = std::vector<float>;

__attribute__((noinline)) static void wave(Field &old, Field &now, Field &next, Field &trace, int n, int m, int steps)
{
    std::function<float(float)> source = [width = 0.125f * m](float t) {
        float a = (t - 3.0f) / width;
        return (1.0f - 2.0f * a * a) * std::exp(-a * a);
    };
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int k = i * m + j;
                float around = now[k - m] + now[k + m] + now[k - 1] + now[k + 1] - 4.0f * now[k];
                next[k] = 2.0f * now[k] - old[k] + 0.2f * around;
            }
        next[n / 2 * m + m / 2] += source(0.5f * t);
        trace.push_back(next[n / 3 * m + m / 4]);
        std::swap(old, now);
        std::swap(now, next);
        if (t % 8 == 7)
            printf("%d: %a\n", t, trace.back());
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1), steps = c.steps > 0 ? c.steps : 0;
        float *data[] = {corpus_floats("old", points), corpus_floats("now", points), corpus_floats("next", points)};
        float *heard = corpus_floats("trace", steps);
        Field fields[3], trace;
        for (int f = 0; f < 3; f++)
            fields[f].assign(data[f], data[f] + points);
        if (points)
            wave(fields[0], fields[1], fields[2], trace, c.nx, c.ny, c.steps);
        for (int f = 0; f < 3; f++)
            std::copy(fields[f].begin(), fields[f].end(), data[f]);
        std::copy(trace.begin(), trace.end(), heard);
        corpus_end();
    }
    return 0;
}
