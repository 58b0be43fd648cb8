// Waves that leave through the ends: what stood beside them one step and two steps ago is kept in members of the solver.
#include "../c/corpus.h"
#include <vector>

class Line {
public:
    Line(std::vector<double> e, std::vector<double> h) : e(std::move(e)), h(std::move(h)) {}

    void run(int steps)
    {
        const int n = static_cast<int>(e.size());
        for (int t = 0; t < steps; t++) {
            for (int i = 0; i < n - 1; i++)
                h[i] += 0.5 * (e[i + 1] - e[i]);
            before[1] = before[0];
            before[0] = e[1];
            for (int i = 1; i < n - 1; i++)
                e[i] += 0.5 * (h[i] - h[i - 1]);
            e[0] = before[1];
        }
    }

    std::vector<double> e, h;
    double before[2] = {0.0, 0.0};
};

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, 1, 1);
        double *e = corpus_doubles("e", points), *h = corpus_doubles("h", points), *left = corpus_doubles("left", 2);
        if (c.nx >= 2) {
            Line line({e, e + points}, {h, h + points});
            line.run(c.steps);
            std::copy(line.e.begin(), line.e.end(), e);
            std::copy(line.h.begin(), line.h.end(), h);
            left[0] = line.before[0], left[1] = line.before[1];
        }
        corpus_end();
    }
    return 0;
}
