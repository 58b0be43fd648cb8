// Maxwell's equations on a torus, in place: fields of a class whose indices go round.
#include "../c/corpus.h"

namespace {

class Fields {
public:
    Fields(float *e, float *hx, float *hy, int n, int m) : e_(e), hx_(hx), hy_(hy), n_(n), m_(m) {}

    void step(float c)
    {
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j)
                hx_[at(i, j)] -= c * (e_[at(i, j + 1)] - e_[at(i, j)]);
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j)
                hy_[at(i, j)] += c * (e_[at(i + 1, j)] - e_[at(i, j)]);
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j)
                e_[at(i, j)] += c * (hy_[at(i, j)] - hy_[at(i - 1, j)] - hx_[at(i, j)] + hx_[at(i, j - 1)]);
    }

private:
    int at(int i, int j) const { return (i + n_) % n_ * m_ + (j + m_) % m_; }

    float *e_, *hx_, *hy_;
    int n_, m_;
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *e = corpus_floats("e", points), *hx = corpus_floats("hx", points), *hy = corpus_floats("hy", points);
        Fields fields(e, hx, hy, c.nx, c.ny);
        for (int t = 0; t < c.steps; t++)
            fields.step(0.5f);
        corpus_end();
    }
    return 0;
}
