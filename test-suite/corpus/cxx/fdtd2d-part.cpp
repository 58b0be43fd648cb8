// Fields on a torus in a class: which part of the grid is swept is the class's, and neighbours are found by arithmetic
// with comparisons.
#include "../c/corpus.h"

#include <vector>

namespace {

class Fields {
  public:
    Fields(int n, int m, int margin, std::vector<double> electric, std::vector<double> magnetic)
        : n(n), m(m), first_row(margin), end_row(n - margin), first_column(margin), end_column(m - margin),
          electric(electric), magnetic(magnetic)
    {
    }

    void step()
    {
        update_magnetic();
        update_electric();
    }

    double factor = 0.2;
    int n, m, first_row, end_row, first_column, end_column;
    std::vector<double> electric, magnetic;

  private:
    static void wrap(int &i, const int &size)
    {
        int below = i < 0, above = i == size;
        i = (size - 1) * below + i * !(below || above);
    }

    void update_magnetic()
    {
        for (int i = first_row; i < end_row; i++) {
            int row = i * m, next = i + 1;
            wrap(next, n);
            next *= m;
            for (int j = first_column; j < end_column; j++) {
                int right = j + 1;
                wrap(right, m);
                magnetic[row + j] += factor * (electric[row + right] - electric[row + j]) -
                                     factor * (electric[next + j] - electric[row + j]);
            }
        }
    }

    void update_electric()
    {
        for (int i = first_row; i < end_row; i++) {
            int row = i * m, last = i - 1;
            wrap(last, n);
            last *= m;
            for (int j = first_column; j < end_column; j++) {
                int left = j - 1;
                wrap(left, m);
                electric[row + j] += factor * (magnetic[row + j] - magnetic[row + left]) -
                                     factor * (magnetic[row + j] - magnetic[last + j]);
            }
        }
    }
};

__attribute__((noinline)) void simulate(Fields &fields, int steps)
{
    for (int t = 0; t < steps; t++)
        fields.step();
}

void run(const corpus_case &c, int margin, double *a, double *b, size_t points)
{
    Fields fields(c.nx, c.ny, margin, {a, a + points}, {b, b + points});
    simulate(fields, c.steps);
    for (size_t k = 0; k < points; k++) {
        a[k] = fields.electric[k];
        b[k] = fields.magnetic[k];
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        run(c, 0, a, b, points);
        double *p = corpus_doubles("p", points), *q = corpus_doubles("q", points);
        run(c, 1, p, q, points);
        corpus_end();
    }
    return 0;
}
