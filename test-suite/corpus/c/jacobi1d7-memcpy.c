/* Seven points, smoothed in place through a scratch array and memcpy. */
#include "corpus.h"

void smooth(float *x, float *scratch, size_t n, int passes)
{
    for (int p = 0; p < passes; p++) {
        for (size_t i = 3; i + 3 < n; i++)
            scratch[i] = (x[i - 3] + x[i - 2] + x[i - 1] + x[i] + x[i + 1] + x[i + 2] + x[i + 3]) / 7.0f;
        if (n > 6)
            memcpy(x + 3, scratch + 3, (n - 6) * sizeof(float));
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *x = corpus_floats("x", corpus_points(c.nx, 1, 1));
        float *scratch = corpus_floats("scratch", corpus_points(c.nx, 1, 1));
        smooth(x, scratch, (size_t)c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
