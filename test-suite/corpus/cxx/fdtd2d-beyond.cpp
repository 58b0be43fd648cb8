// A class whose part of the grid goes beyond the end of each row, into the next one: the order of the points matters.
#include "../c/corpus.h"

#include <vector>

namespace {

class Fields {
  public:
    Fields(int n, int m, int more, std::vector<double> now, std::vector<double> other)
        : n(n), m(m), first_row(0), end_row(n - 1), first_column(0), end_column(m + more), now(now), other(other)
    {
    }

    void step()
    {
        for (int i = first_row; i < end_row; i++) {
            int row = i * m, next = wrap(i + 1, n) * m;
            for (int j = first_column; j < end_column; j++) {
                int right = wrap(j + 1, m);
                now[row + j] = 0.5 * now[row + j] + factor * (other[row + right] + other[next + j]);
            }
        }
        for (int i = first_row; i < end_row; i++) {
            int row = i * m, next = wrap(i + 1, n) * m;
            for (int j = first_column; j < end_column; j++) {
                int right = wrap(j + 1, m);
                other[row + j] = 0.5 * other[row + j] + factor * (now[row + right] - now[next + j]);
            }
        }
    }

    double factor = 0.2;
    int n, m, first_row, end_row, first_column, end_column;
    std::vector<double> now, other;

  private:
    static int wrap(int i, int size) { return i == size ? 0 : i; }
};

__attribute__((noinline)) void simulate(Fields &fields, int steps)
{
    for (int t = 0; t < steps; t++)
        fields.step();
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        // A row more, since the last one but one is overrun too.
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        Fields fields(c.nx, c.ny, 2, {a, a + points}, {b, b + points});
        fields.now.resize(points + 2 * size_t(c.ny) + 8, 0.25);
        fields.other.resize(points + 2 * size_t(c.ny) + 8, 0.5);
        simulate(fields, c.steps);
        for (size_t k = 0; k < points; k++) {
            a[k] = fields.now[k];
            b[k] = fields.other[k];
        }
        corpus_end();
    }
    return 0;
}
