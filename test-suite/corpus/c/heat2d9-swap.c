/* Heat on a plane, nine weighted points (a box). */
#include "corpus.h"

float *heat(float *cur, float *next, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                next[i * m + j] =
                    0.09371f * cur[(i - 1) * m + j - 1] + 0.09372f * cur[(i - 1) * m + j] +
                    0.09373f * cur[(i - 1) * m + j + 1] + 0.09374f * cur[i * m + j - 1] +
                    0.25001f * cur[i * m + j] + 0.09375f * cur[i * m + j + 1] +
                    0.09376f * cur[(i + 1) * m + j - 1] + 0.09377f * cur[(i + 1) * m + j] +
                    0.09378f * cur[(i + 1) * m + j + 1];
            }
        }
        float *swap = cur;
        cur = next;
        next = swap;
    }
    return cur;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *cur = corpus_floats("cur", corpus_points(c.nx, c.ny, 1));
        float *next = corpus_floats("next", corpus_points(c.nx, c.ny, 1));
        float *last = heat(cur, next, c.nx, c.ny, c.steps);
        corpus_value("last is cur", last == cur);
        corpus_end();
    }
    return 0;
}
