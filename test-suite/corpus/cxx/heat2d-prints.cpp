// A class with its vectors, and a line on std::cout about each step: where the simulation is, and its clock.
#include "../c/corpus.h"

#include <iomanip>
#include <iostream>
#include <utility>
#include <vector>

namespace {

class Plate {
  public:
    Plate(int n, int m, std::vector<double> now, std::vector<double> next)
        : n(n), m(m), now(std::move(now)), next(std::move(next))
    {
    }

    void simulate(int steps);

    int n, m;
    double clock = 0.0, tick = 0.05;
    std::vector<double> now, next;

  private:
    void step()
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                next[i * m + j] = now[i * m + j] + 0.2 * (now[(i - 1) * m + j] + now[(i + 1) * m + j] +
                                                         now[i * m + j - 1] + now[i * m + j + 1] - 4.0 * now[i * m + j]);
        std::swap(now, next);
    }
};

__attribute__((noinline)) void Plate::simulate(int steps)
{
    for (int t = 0; t < steps; t++) {
        step();
        clock += tick;
        std::cout << "step " << std::setw(4) << t + 1 << " of " << steps << ", at " << clock << std::endl;
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        Plate plate(c.nx, c.ny, {u, u + points}, {v, v + points});
        plate.simulate(c.steps);
        for (size_t k = 0; k < points; k++) {
            u[k] = plate.now[k];
            v[k] = plate.next[k];
        }
        corpus_end();
    }
    return 0;
}
