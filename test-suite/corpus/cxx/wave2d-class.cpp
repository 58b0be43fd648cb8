/* A class with a clock, whose grids are vectors of vectors that each step assigns; every few steps it says how far it is,
   and writes a file. */
#include "../c/corpus.h"

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

class Wave {
public:
    Wave(const double *from, int nx, int ny, double c, double dt, double dx)
        : nx_(nx), ny_(ny), c_(c), dt_(dt), dx_(dx), before_(nx, std::vector<double>(ny)), now_(before_), after_(before_)
    {
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < ny; j++)
                before_[i][j] = now_[i][j] = from[i * ny + j];
    }

    void step()
    {
        double k = c_ * dt_ / dx_;
        k *= k;
        for (int i = 1; i < nx_ - 1; i++)
            for (int j = 1; j < ny_ - 1; j++)
                after_[i][j] = 2 * now_[i][j] - before_[i][j] +
                               k * (now_[i + 1][j] + now_[i - 1][j] + now_[i][j + 1] + now_[i][j - 1] - 4 * now_[i][j]);
        before_ = now_;
        now_ = after_;
        time_ += dt_;
    }

    double energy() const
    {
        double all = 0;
        for (const auto &row : now_)
            for (double x : row)
                all += x * x;
        return all;
    }

    void save(const std::string &name) const
    {
        std::ofstream out(name);
        for (const auto &row : now_) {
            for (double x : row)
                out << std::setprecision(10) << x << ' ';
            out << '\n';
        }
    }

    double time() const { return time_; }
    const std::vector<std::vector<double>> &now() const { return now_; }

private:
    int nx_, ny_;
    double c_, dt_, dx_, time_ = 0;
    std::vector<std::vector<double>> before_, now_, after_;
};

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *u = corpus_doubles("u", corpus_points(c.nx, c.ny, 1)), *time = corpus_doubles("time", 1);
        int nx = std::max(c.nx, 0), ny = std::max(c.ny, 0);
        Wave wave(u, nx, ny, 1.0, 0.1, 0.5);
        for (int t = 0; t < c.steps; t++) {
            wave.step();
            if (t % 9 == 8) {
                std::cout << "t = " << wave.time() << " e = " << wave.energy() << std::endl;
                wave.save("/dev/null");
            }
        }
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < ny; j++)
                u[i * ny + j] = wave.now()[i][j];
        time[0] = wave.time();
        corpus_end();
    }
    return 0;
}
