/* Convolution with a kernel of five by five weights, which is a table: two loops for the points, two for the kernel. */
#include "corpus.h"

enum { R = 2 };

static const float kernel[2 * R + 1][2 * R + 1] = {
    {1, 4, 7, 4, 1}, {4, 16, 26, 16, 4}, {7, 26, 41, 26, 7}, {4, 16, 26, 16, 4}, {1, 4, 7, 4, 1},
};

void blur(int n, int m, float now[n][m], float next[n][m], int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = R; i < n - R; i++)
            for (int j = R; j < m - R; j++) {
                float sum = 0.0f;
                for (int k = -R; k <= R; k++)
                    for (int l = -R; l <= R; l++)
                        sum += kernel[k + R][l + R] * now[i + k][j + l];
                next[i][j] = sum / 273.0f;
            }
        for (int i = R; i < n - R; i++)
            for (int j = R; j < m - R; j++)
                now[i][j] = next[i][j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *a = corpus_floats("now", points), *b = corpus_floats("next", points);
        blur(c.nx, c.ny, (float (*)[c.ny])a, (float (*)[c.ny])b, c.steps);
        corpus_end();
    }
    return 0;
}
