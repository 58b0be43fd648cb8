// FDTD as a class: three fields that are updated in place, one method a field, a hard source along an edge.
#include "../c/corpus.h"

#include <memory>

struct Field {
    Field(float *data, int m) : data(data), m(m) {}
    float &operator()(int i, int j) { return data[i * m + j]; }
    float operator()(int i, int j) const { return data[i * m + j]; }
    float *data;
    int m;
};

class Fdtd {
public:
    Fdtd(float *ex, float *ey, float *hz, int n, int m) : ex(ex, m), ey(ey, m), hz(hz, m), n(n), m(m) {}

    void advance(int steps)
    {
        while (steps-- > 0) {
            source();
            updateEy();
            updateEx();
            updateHz();
            time++;
        }
    }

private:
    void source()
    {
        for (int j = 0; j < m; j++)
            ey(0, j) = 0.5f * static_cast<float>(time);
    }
    void updateEy()
    {
        for (int i = 1; i < n; i++)
            for (int j = 0; j < m; j++)
                ey(i, j) -= 0.5f * (hz(i, j) - hz(i - 1, j));
    }
    void updateEx()
    {
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m; j++)
                ex(i, j) -= 0.5f * (hz(i, j) - hz(i, j - 1));
    }
    void updateHz()
    {
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m - 1; j++)
                hz(i, j) -= 0.7f * (ex(i, j + 1) - ex(i, j) + ey(i + 1, j) - ey(i, j));
    }

    Field ex, ey, hz;
    int n, m, time = 0;
};

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        float *ex = corpus_floats("ex", points), *ey = corpus_floats("ey", points), *hz = corpus_floats("hz", points);
        auto fdtd = std::make_unique<Fdtd>(ex, ey, hz, c.nx, c.ny);
        fdtd->advance(c.steps);
        corpus_end();
    }
    return 0;
}
