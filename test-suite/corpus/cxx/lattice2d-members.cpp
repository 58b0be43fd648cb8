// Populations are pushed to the neighbours and come back from walls, the directions being members of a class that its
// constructor sets: numbers that the guard compares.
#include "../c/corpus.h"

#include <algorithm>

namespace {

constexpr int Q = 9;

class Lattice {
  int nx, ny;
  double w[Q];
  int e[2][Q];
  double *f = nullptr, *g = nullptr;
  int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

public:
  Lattice(const double *first, int nx, int ny) : nx(nx), ny(ny) {
    w[0] = 4.0 / 9.0;
    w[1] = w[2] = w[3] = w[4] = 1.0 / 9.0;
    w[5] = w[6] = w[7] = w[8] = 1.0 / 36.0;
    e[0][0] = 0, e[1][0] = 0;
    e[0][1] = 1, e[0][2] = 0, e[0][3] = -1, e[0][4] = 0;
    e[1][1] = 0, e[1][2] = 1, e[1][3] = 0, e[1][4] = -1;
    e[0][5] = 1, e[0][6] = -1, e[0][7] = -1, e[0][8] = 1;
    e[1][5] = 1, e[1][6] = 1, e[1][7] = -1, e[1][8] = -1;
    f = new double[nx * ny * Q];
    g = new double[nx * ny * Q];
    std::copy(first, first + nx * ny * Q, f);
    std::copy(first, first + nx * ny * Q, g);
  }
  Lattice(const Lattice &) = delete;
  Lattice &operator=(const Lattice &) = delete;
  ~Lattice() {
    delete[] f;
    delete[] g;
  }

  void collide() {
    for (int p = 0; p < nx * ny * Q; p += Q) {
      double r = 0;
      for (int i = 0; i < Q; i++)
        r += f[p + i];
      for (int i = 0; i < Q; i++)
        g[p + i] = 0.2 * f[p + i] + 0.8 * r * w[i];
    }
  }

  void stream() {
    for (int x = 0; x < nx; x++)
      for (int y = 0; y < ny; y++) {
        int p = (x * ny + y) * Q;
        for (int i = 0; i < Q; i++) {
          int to = x + e[0][i], up = y + e[1][i];
          if (to < 0 || to >= nx || up < 0 || up >= ny)
            f[p + opposite[i]] = g[p + i];
          else
            f[(to * ny + up) * Q + i] = g[p + i];
        }
      }
  }

  void save(double *last, double *other) const {
    std::copy(f, f + nx * ny * Q, last);
    std::copy(g, g + nx * ny * Q, other);
  }
};

} // namespace

CORPUS_HELPER void flow(double *u, double *v, int n, int m, int steps) {
  Lattice lattice(u, n, m);
  for (int t = 0; t < steps; t++) {
    lattice.collide();
    lattice.stream();
  }
  lattice.save(u, v);
}

int main(int argc, char **argv) {
  corpus_case c;
  while (corpus_next(&c, argc, argv)) {
    std::size_t points = corpus_points(c.nx, c.ny, 1);
    double *u = corpus_doubles("u", points * Q), *v = corpus_doubles("v", points * Q);
    if (c.nx > 0 && c.ny > 0)
      flow(u, v, c.nx, c.ny, c.steps);
    corpus_end();
  }
  return 0;
}
