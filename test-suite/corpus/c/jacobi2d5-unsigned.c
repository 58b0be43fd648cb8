/* Five points with unsigned indices; rows are padded to a leading dimension. */
#include "corpus.h"

float *blur(float *src, float *dst, unsigned width, unsigned height, unsigned pitch, unsigned passes)
{
    for (unsigned pass = 0; pass < passes; pass++) {
        for (unsigned y = 1; y < height - 1; y++)
            for (unsigned x = 1; x < width - 1; x++)
                dst[y * pitch + x] = (src[y * pitch + x] + src[(y - 1) * pitch + x] +
                                      src[(y + 1) * pitch + x] + src[y * pitch + x - 1] +
                                      src[y * pitch + x + 1]) *
                                     0.2f;
        float *t = src;
        src = dst;
        dst = t;
    }
    return src;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        unsigned width = (unsigned)c.ny, height = (unsigned)c.nx;
        unsigned pitch = (width + 15u) / 16u * 16u;
        float *src = corpus_floats("src", corpus_points(height, pitch, 1));
        float *dst = corpus_floats("dst", corpus_points(height, pitch, 1));
        float *last = blur(src, dst, width, height, pitch, (unsigned)c.steps);
        corpus_value("last is src", last == src);
        corpus_end();
    }
    return 0;
}
