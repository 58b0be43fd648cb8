// A model with its grids, its receivers, and the traces that they leave.
#include "../c/corpus.h"

#include <utility>
#include <vector>

struct Receiver {
    int row, column;
};

class Model {
public:
    Model(const double *from, int n, int m) : n(n), m(m), u(from, from + size_t(n) * m), v(u.size()) {}

    void step()
    {
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < m - 1; ++j)
                at(v, i, j) = at(u, i, j) + 0.125 * (at(u, i, j - 1) + at(u, i, j + 1) + at(u, i - 1, j) +
                                                     at(u, i + 1, j) - 4 * at(u, i, j));
        std::swap(u, v);
    }
    void record(std::vector<double> &traces, int t) const
    {
        for (size_t r = 0; r < receivers.size(); ++r)
            traces[t * receivers.size() + r] = u[receivers[r].row * m + receivers[r].column];
    }
    const std::vector<double> &grid() const { return u; }
    std::vector<Receiver> receivers;

private:
    double &at(std::vector<double> &of, int i, int j) { return of[i * m + j]; }

    int n, m;
    std::vector<double> u, v;
};

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int points = corpus_points(c.nx, c.ny, 1), steps = c.steps > 0 && points > 0 ? c.steps : 0;
        double *u = corpus_doubles("u", points);
        Model model(u, points > 0 ? c.nx : 0, points > 0 ? c.ny : 0);
        for (int k = 0; points > 0 && k < c.ny; k += 4)
            model.receivers.push_back({c.nx - 1 - k % 2, k});
        std::vector<double> traces(steps * model.receivers.size());
        for (int t = 0; t < steps; ++t) {
            model.step();
            model.record(traces, t);
        }
        double *kept = corpus_doubles("traces", traces.size());
        for (size_t k = 0; k < traces.size(); ++k)
            kept[k] = traces[k];
        for (int k = 0; k < points; ++k)
            u[k] = model.grid()[k];
        corpus_end();
    }
    return 0;
}
