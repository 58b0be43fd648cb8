// Grids that are owned, and swapped with their owners; each few steps somebody prints, and might throw, before the swap.
#include "../c/corpus.h"

#include <memory>
#include <utility>

namespace {

struct Printer {
    virtual ~Printer() = default;
    virtual void print(double value) = 0;
};

struct Sum final : Printer {
    double all = 0.0;
    void print(double value) override
    {
        if (value != value)
            throw value;
        all += value;
    }
};

struct Grid {
    std::unique_ptr<double[]> at;
    int n, m;
    double *operator[](int i) const { return &at[static_cast<size_t>(i) * m]; }
};

void heat(Grid &now, Grid &next, int steps, Printer *volatile *who)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < now.n - 1; i++)
            for (int j = 1; j < now.m - 1; j++)
                next[i][j] = now[i][j] + 0.1 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4 * now[i][j]);
        if (t % 3 == 1)
            (*who)->print(next[now.n / 2][now.m / 3]);
        std::swap(now, next);
    }
}

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        Grid now{std::unique_ptr<double[]>(a), c.nx, c.ny}, next{std::unique_ptr<double[]>(b), c.nx, c.ny};
        Sum sum;
        Printer *volatile who = &sum;
        if (points)
            heat(now, next, c.steps, &who);
        corpus_value("turned", now.at.get() == a);
        corpus_value("sum", static_cast<int64_t>(sum.all * 1e6));
        now.at.release();
        next.at.release();
        corpus_end();
    }
    return 0;
}
