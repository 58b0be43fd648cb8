/* Five points, one loop over the whole grid: row and column by division, the border left out. */
#include "corpus.h"

void heat(int n, int m, int steps, double *a, double *b)
{
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < n * m; k++) {
            int i = k / m, j = k % m;
            if (i == 0 || i == n - 1 || j == 0 || j == m - 1)
                continue;
            b[k] = a[k] + 0.1 * (a[k - 1] + a[k + 1] + a[k - m] + a[k + m] - 4 * a[k]);
        }
        double *swap = a;
        a = b;
        b = swap;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        heat(c.nx, c.ny, c.steps, a, b);
        corpus_end();
    }
    return 0;
}
