// Grids that are shared with whoever else looks at them, and change places with their owners after each step.
#include "../c/corpus.h"

#include <memory>
#include <utility>

namespace {

struct Plate {
    std::shared_ptr<double[]> now, next;
    int n, m;

    void step()
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = now[i * m + j] + 0.1 * (now[(i - 1) * m + j] + now[(i + 1) * m + j] +
                                                          now[i * m + j - 1] + now[i * m + j + 1] - 4.0 * now[i * m + j]);
        std::swap(now, next);
    }
};

} // namespace

void heat(Plate &plate, int steps)
{
    for (int t = 0; t < steps; t++)
        plate.step();
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        auto kept = [](double *) {};
        Plate plate{std::shared_ptr<double[]>(a, kept), std::shared_ptr<double[]>(b, kept), c.nx, c.ny};
        std::shared_ptr<const double[]> viewer = plate.now;
        heat(plate, c.steps);
        corpus_value("turned", plate.now.get() == b);
        corpus_value("viewers", viewer.use_count());
        corpus_end();
    }
    return 0;
}
