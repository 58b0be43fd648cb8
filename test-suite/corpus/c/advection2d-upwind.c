/* Transport down and to the left, first-order upwind differences, copied back. */
#include "corpus.h"

void advect(float *q, float *w, int rows, int cols, float cx, float cy, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < rows; i++)
            for (int j = 0; j < cols - 1; j++)
                w[i * cols + j] = q[i * cols + j] - cy * (q[i * cols + j] - q[(i - 1) * cols + j]) +
                                  cx * (q[i * cols + j + 1] - q[i * cols + j]);
        for (int i = 1; i < rows; i++)
            for (int j = 0; j < cols - 1; j++)
                q[i * cols + j] = w[i * cols + j];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *q = corpus_floats("q", corpus_points(c.nx, c.ny, 1));
        float *w = corpus_floats("w", corpus_points(c.nx, c.ny, 1));
        advect(q, w, c.nx, c.ny, 0.3f, 0.2f, c.steps);
        corpus_end();
    }
    return 0;
}
