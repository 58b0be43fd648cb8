/* Every few steps a picture is made, for which the least and the largest value are looked for first. */
#include "corpus.h"

#define larger(a, b) ((a) > (b) ? (a) : (b))
#define smaller(a, b) ((a) < (b) ? (a) : (b))

static int shown[16];

CORPUS_HELPER void show(const unsigned char *picture, int points, int step)
{
    int sum = 0;
    for (int i = 0; i < points; i++)
        sum = sum * 31 % 10007 + picture[i];
    shown[step % 16] = sum;
}

static void run(double *z, double *v, double *a, unsigned char *picture, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i * m + j] = 0.5 * (z[(i + 1) * m + j] + z[(i - 1) * m + j] + z[i * m + j + 1] +
                                      z[i * m + j - 1] - 4.0 * z[i * m + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                v[i * m + j] += 0.1 * a[i * m + j];
                z[i * m + j] += 0.1 * v[i * m + j];
            }
        if (t % 5 == 0) {
            double most = -1e30, least = 1e30;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    most = larger(most, z[i * m + j]);
                    least = smaller(least, z[i * m + j]);
                }
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    double part = (z[i * m + j] - least) / (most - least);
                    picture[i * m + j] = part >= 0.0 && part <= 1.0 ? (unsigned char)(part * 255.0) : 0;
                }
            show(picture, n * m, t / 5);
        }
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *z = corpus_doubles("z", points), *v = corpus_doubles("v", points);
        double *a = corpus_doubles("a", points), *seen = corpus_doubles("seen", 16);
        unsigned char *picture = calloc(points + 1, 1);
        memset(shown, 0, sizeof shown);
        run(z, v, a, picture, c.nx, c.ny, c.steps);
        for (int k = 0; k < 16; k++)
            seen[k] = shown[k];
        corpus_end();
        free(picture);
    }
    return 0;
}
