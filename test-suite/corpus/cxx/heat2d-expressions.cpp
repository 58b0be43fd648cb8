// Sums of shifted views that are evaluated when they are assigned, as libraries for linear algebra do it; grids in
// memory that their owner frees.
#include "../c/corpus.h"

#include <cstddef>
#include <cstring>
#include <memory>

namespace {

template <typename E> struct Expression {
    const E &self() const { return static_cast<const E &>(*this); }
};

template <typename A, typename B> struct Sum : Expression<Sum<A, B>> {
    Sum(const A &a, const B &b) : a_(a), b_(b) {}
    double operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return a_(i, j) + b_(i, j); }

private:
    const A a_;
    const B b_;
};

template <typename A> struct Scaled : Expression<Scaled<A>> {
    Scaled(double by, const A &a) : by_(by), a_(a) {}
    double operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return by_ * a_(i, j); }

private:
    double by_;
    const A a_;
};

template <typename A, typename B> Sum<A, B> operator+(const Expression<A> &a, const Expression<B> &b)
{
    return {a.self(), b.self()};
}

template <typename A> Scaled<A> operator*(double by, const Expression<A> &a) { return {by, a.self()}; }

// A block of a grid; its rows lie a pitch apart.
struct Block : Expression<Block> {
    Block(double *data, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t pitch)
        : data_(data), rows_(rows), columns_(columns), pitch_(pitch)
    {
    }
    double operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return data_[i * pitch_ + j]; }
    template <typename E> Block &operator=(const Expression<E> &e)
    {
        for (std::ptrdiff_t i = 0; i < rows_; i++)
            for (std::ptrdiff_t j = 0; j < columns_; j++)
                data_[i * pitch_ + j] = e.self()(i, j);
        return *this;
    }

private:
    double *data_;
    std::ptrdiff_t rows_, columns_, pitch_;
};

class Plate {
public:
    Plate(std::ptrdiff_t n, std::ptrdiff_t m) : n_(n), m_(m)
    {
        std::size_t points = n > 0 && m > 0 ? std::size_t(n * m) : 0;
        u_ = std::make_unique<double[]>(points);
        v_ = std::make_unique<double[]>(points);
    }
    double *now() { return u_.get(); }
    double *next() { return v_.get(); }
    void heat(int steps)
    {
        for (int t = 0; t < steps; t++) {
            inner(v_, 0, 0) = 0.5 * inner(u_, 0, 0) +
                              0.125 * (inner(u_, -1, 0) + inner(u_, 1, 0) + inner(u_, 0, -1) + inner(u_, 0, 1));
            u_.swap(v_);
        }
    }

private:
    Block inner(const std::unique_ptr<double[]> &grid, std::ptrdiff_t di, std::ptrdiff_t dj) const
    {
        return {grid.get() + (1 + di) * m_ + 1 + dj, n_ - 2, m_ - 2, m_};
    }
    std::unique_ptr<double[]> u_, v_;
    std::ptrdiff_t n_, m_;
};

} // namespace

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        double *a = corpus_doubles("u", points), *b = corpus_doubles("v", points);
        Plate plate(c.nx, c.ny);
        if (points) {
            std::memcpy(plate.now(), a, points * sizeof(double));
            std::memcpy(plate.next(), b, points * sizeof(double));
        }
        plate.heat(c.steps);
        if (points) {
            std::memcpy(a, plate.now(), points * sizeof(double));
            std::memcpy(b, plate.next(), points * sizeof(double));
        }
        corpus_end();
    }
}
