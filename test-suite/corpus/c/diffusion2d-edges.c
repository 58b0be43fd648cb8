/* Perona and Malik's diffusion of an image, which stops at edges: an exponential for each of four neighbours. */
#include "corpus.h"

#include <math.h>

static inline float flow(float difference, float edge)
{
    return difference * expf(-(difference / edge) * (difference / edge));
}

float *smooth(float *image, float *next, int height, int width, int steps, float edge)
{
    for (int t = 0; t < steps; t++) {
        for (int y = 1; y < height - 1; y++)
            for (int x = 1; x < width - 1; x++) {
                float own = image[y * width + x];
                next[y * width + x] = own + 0.2f * (flow(image[(y - 1) * width + x] - own, edge) +
                                                    flow(image[(y + 1) * width + x] - own, edge) +
                                                    flow(image[y * width + x - 1] - own, edge) +
                                                    flow(image[y * width + x + 1] - own, edge));
            }
        float *last = image;
        image = next;
        next = last;
    }
    return image;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *a = corpus_floats("a", corpus_points(c.nx, c.ny, 1));
        float *b = corpus_floats("b", corpus_points(c.nx, c.ny, 1));
        if (c.nx >= 1 && c.ny >= 1)
            corpus_value("a is the last", smooth(a, b, c.nx, c.ny, c.steps, 0.5f) == a);
        corpus_end();
    }
    return 0;
}
