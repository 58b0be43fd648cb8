// The wave equation in a class: three vectors that are rotated, a speed for each point, and a source that is added in
// each step.
#include "../c/corpus.h"

#include <cmath>
#include <utility>
#include <vector>

class Wave {
public:
    Wave(int n, int m) : n(n), m(m), past(points()), now(points()), next(points()), speed(points()) {}

    void run(int steps)
    {
        for (int t = 0; t < steps; ++t) {
            step();
            if (n > 4 && m > 4)
                next[at(n / 3, m / 3)] += std::exp(-0.1 * t);
            past.swap(now);
            now.swap(next);
        }
    }

    std::size_t points() const { return corpus_points(n, m, 1); }

    int n, m;
    std::vector<double> past, now, next, speed;

private:
    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * m + j; }

    void step()
    {
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < m - 1; ++j)
                next[at(i, j)] = 2.0 * now[at(i, j)] - past[at(i, j)] +
                                 speed[at(i, j)] * (now[at(i - 1, j)] + now[at(i + 1, j)] + now[at(i, j - 1)] +
                                                    now[at(i, j + 1)] - 4.0 * now[at(i, j)]);
    }
};

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        Wave wave(c.nx, c.ny);
        std::size_t points = wave.points();
        double *past = corpus_doubles("past", points), *now = corpus_doubles("now", points);
        double *next = corpus_doubles("next", points), *speed = corpus_doubles("speed", points);
        std::copy(past, past + points, wave.past.begin());
        std::copy(now, now + points, wave.now.begin());
        std::copy(next, next + points, wave.next.begin());
        std::copy(speed, speed + points, wave.speed.begin());
        wave.run(c.steps);
        std::copy(wave.past.begin(), wave.past.end(), past);
        std::copy(wave.now.begin(), wave.now.end(), now);
        std::copy(wave.next.begin(), wave.next.end(), next);
        corpus_end();
    }
    return 0;
}
