/* Waves that leave through all four sides (Mur's border of the first order): what the field was beside a border is kept in
 * vectors before the sweep. */
#include "corpus.h"

CORPUS_HELPER void waves(double *restrict ex, double *restrict ez, double *restrict h, double *restrict top,
                         double *restrict bottom, double *restrict left, double *restrict right, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m - 1; j++)
                h[i * m + j] += 0.5 * (ez[(i + 1) * m + j] - ez[i * m + j]) - 0.5 * (ex[i * m + j + 1] - ex[i * m + j]);
        for (int j = 0; j < m; j++) {
            top[j] = ez[m + j];
            bottom[j] = ez[(n - 2) * m + j];
        }
        for (int i = 0; i < n; i++) {
            left[i] = ex[i * m + 1];
            right[i] = ex[i * m + m - 2];
        }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                ex[i * m + j] -= 0.5 * (h[i * m + j] - h[i * m + j - 1]);
                ez[i * m + j] += 0.5 * (h[i * m + j] - h[(i - 1) * m + j]);
            }
        for (int j = 0; j < m; j++) {
            ez[j] = top[j] - 0.33 * (ez[m + j] - top[j]);
            ez[(n - 1) * m + j] = bottom[j] - 0.33 * (ez[(n - 2) * m + j] - bottom[j]);
        }
        for (int i = 0; i < n; i++) {
            ex[i * m] = left[i] - 0.33 * (ex[i * m + 1] - left[i]);
            ex[i * m + m - 1] = right[i] - 0.33 * (ex[i * m + m - 2] - right[i]);
        }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1), row = corpus_points(c.ny, 1, 1), column = corpus_points(c.nx, 1, 1);
        double *ex = corpus_doubles("ex", points), *ez = corpus_doubles("ez", points), *h = corpus_doubles("h", points);
        double *top = corpus_doubles("top", row), *bottom = corpus_doubles("bottom", row);
        double *left = corpus_doubles("left", column), *right = corpus_doubles("right", column);
        if (c.nx >= 2 && c.ny >= 2)
            waves(ex, ez, h, top, bottom, left, right, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
