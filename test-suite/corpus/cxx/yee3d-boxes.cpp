// Maxwell's equations in three dimensions: six boxes with an accessor, updated in place by lambdas that a template calls
// for each point.
#include "../c/corpus.h"

#include <cstddef>
#include <vector>

namespace {

struct Size {
    int x, y, z;
};

class Box {
public:
    Box(const double *from, Size size)
        : size(size), values(from, from + corpus_points(size.x, size.y, size.z))
    {
    }
    double &operator()(int i, int j, int k) { return values[(std::size_t(i) * size.y + j) * size.z + k]; }
    double operator()(int i, int j, int k) const { return values[(std::size_t(i) * size.y + j) * size.z + k]; }

    Size size;
    std::vector<double> values;
};

template <class Body> void each(int from, const Size &size, Body body)
{
    for (int i = from; i < size.x - 1; i++)
        for (int j = from; j < size.y - 1; j++)
            for (int k = from; k < size.z - 1; k++)
                body(i, j, k);
}

struct Cavity {
    Size size;
    Box ex, ey, ez, hx, hy, hz;

    void step(double c)
    {
        each(0, size, [&](int i, int j, int k) {
            hx(i, j, k) += c * (ey(i, j, k + 1) - ey(i, j, k) - ez(i, j + 1, k) + ez(i, j, k));
            hy(i, j, k) += c * (ez(i + 1, j, k) - ez(i, j, k) - ex(i, j, k + 1) + ex(i, j, k));
            hz(i, j, k) += c * (ex(i, j + 1, k) - ex(i, j, k) - ey(i + 1, j, k) + ey(i, j, k));
        });
        each(1, size, [&](int i, int j, int k) {
            ex(i, j, k) += c * (hz(i, j, k) - hz(i, j - 1, k) - hy(i, j, k) + hy(i, j, k - 1));
            ey(i, j, k) += c * (hx(i, j, k) - hx(i, j, k - 1) - hz(i, j, k) + hz(i - 1, j, k));
            ez(i, j, k) += c * (hy(i, j, k) - hy(i - 1, j, k) - hx(i, j, k) + hx(i, j - 1, k));
        });
    }
};

} // namespace

void run(Cavity &cavity, int steps)
{
    for (int t = 0; t < steps; t++)
        cavity.step(0.3);
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, c.nz);
        const char *names[] = {"ex", "ey", "ez", "hx", "hy", "hz"};
        double *all[6];
        for (int k = 0; k < 6; k++)
            all[k] = corpus_doubles(names[k], points);
        Size size{c.nx, c.ny, c.nz};
        Cavity cavity{size,           {all[0], size}, {all[1], size}, {all[2], size},
                      {all[3], size}, {all[4], size}, {all[5], size}};
        run(cavity, c.steps);
        const Box *boxes[] = {&cavity.ex, &cavity.ey, &cavity.ez, &cavity.hx, &cavity.hy, &cavity.hz};
        for (int k = 0; k < 6; k++)
            std::copy(boxes[k]->values.begin(), boxes[k]->values.end(), all[k]);
        corpus_end();
    }
    return 0;
}
