/* Branches that store, of which some also read what they store to: by place, and by what a cell is made of. */
#include "corpus.h"

void relax(const double *a, double *b, const int *kind, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                if ((i - 8) * (i - 8) + (j - 9) * (j - 9) < 25)
                    b[i * m + j] = a[i * m + j];
                else
                    b[i * m + j] += 0.1 * (a[i * m + j] - b[i * m + j]);
            }
        }
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                switch (kind[i * m + j] & 3) {
                case 0:
                    b[i * m + j] = a[i * m + j - 1];
                    break;
                case 1:
                    b[i * m + j] = 0.5 * b[i * m + j];
                    break;
                case 2:
                    b[i * m + j] -= 0.25 * a[i * m + j + 1];
                    break;
                default:
                    b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j]);
                }
            }
        }
    }
}

void swapped(double *a, double *b, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                if (i == j)
                    b[i * m + j] = a[i * m + j];
                else if (i < j)
                    b[i * m + j] = 0.5 * (a[(i - 1) * m + j] + a[i * m + j + 1]);
                else
                    b[i * m + j] = 0.5 * b[i * m + j] + 0.25 * a[i * m + j - 1];
            }
        }
        double *tmp = a;
        a = b;
        b = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        int *kind = corpus_ints("kind", corpus_points(c.nx, c.ny, 1));
        relax(a, b, kind, c.nx, c.ny, c.steps);
        swapped(a, b, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
