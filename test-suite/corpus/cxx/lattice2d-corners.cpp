// Populations that are sent to neighbours: inside, and from the first and the last column, by a remainder each.
#include "../c/corpus.h"
#include <cstddef>
#include <initializer_list>
#include <vector>

static constexpr int ex[5] = {0, 1, 0, -1, 0}, ey[5] = {0, 0, 1, 0, -1};

void run(std::vector<double> &f, std::vector<double> &g, std::size_t nx, std::size_t ny, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (std::size_t j = 0; j < ny; j++)
            for (std::size_t i = 0; i < nx; i++) {
                std::size_t cell = 5 * (i + nx * j);
                double rho = 0;
                for (int k = 0; k < 5; k++)
                    rho += f[cell + k];
                for (int k = 0; k < 5; k++)
                    f[cell + k] += 0.6 * (rho / 5 - f[cell + k]);
            }
        for (std::size_t j = 1; j < ny - 1; j++)
            for (std::size_t i = 1; i < nx - 1; i++)
                for (int k = 0; k < 5; k++)
                    g[5 * (i + ex[k] + nx * (j + ey[k])) + k] = f[5 * (i + nx * j) + k];
        for (std::size_t j = 1; j < ny - 1; j++)
            for (auto i : {std::size_t(0), nx - 1})
                for (int k = 0; k < 5; k++)
                    g[5 * ((i + ex[k] + nx) % nx + nx * (j + ey[k])) + k] = f[5 * (i + nx * j) + k];
        f.swap(g);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 5);
        double *first = corpus_doubles("f", points);
        std::vector<double> f(first, first + points), g(f);
        if (points)
            run(f, g, c.nx, c.ny, c.steps);
        for (std::size_t k = 0; k < points; k++)
            first[k] = f[k];
        corpus_end();
    }
    return 0;
}
