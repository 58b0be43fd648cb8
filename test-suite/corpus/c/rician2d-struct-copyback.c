/* Rician denoising in single precision; image and work arrays in a structure,
 * one function for the edge weights and one for the update, copied back. */
#include "corpus.h"

#include <math.h>

typedef struct {
    int width, height;
    const float *noisy;
    float *image;
    float *weight;
    float *fresh;
} Denoiser;

static float sqr(float x)
{
    return x * x;
}

static void weights(const float *restrict u, float *restrict g, int width, int height)
{
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int p = y * width + x;
            g[p] = 1.0f / sqrtf(1.0e-8f + sqr(u[p] - u[p + 1]) + sqr(u[p] - u[p - 1]) +
                                sqr(u[p] - u[p + width]) + sqr(u[p] - u[p - width]));
        }
}

static void update(const float *restrict u, const float *restrict g, const float *restrict f,
                   float *restrict out, int width, int height, float sigma2, float gamma)
{
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int p = y * width + x;
            float r = u[p] * f[p] / sigma2;
            r = (r * (2.38944f + r * (0.950037f + r))) / (4.65314f + r * (2.57541f + r * (1.48937f + r)));
            out[p] = (u[p] + 5.0f * (u[p + 1] * g[p + 1] + u[p - 1] * g[p - 1] +
                                     u[p + width] * g[p + width] + u[p - width] * g[p - width] +
                                     gamma * f[p] * r)) /
                     (1.0f + 5.0f * (g[p + 1] + g[p - 1] + g[p + width] + g[p - width] + gamma));
        }
}

void rician_denoise(Denoiser *d, float sigma2, float gamma, int iterations)
{
    for (int it = 1; it <= iterations; it++) {
        weights(d->image, d->weight, d->width, d->height);
        update(d->image, d->weight, d->noisy, d->fresh, d->width, d->height, sigma2, gamma);
        for (int y = 1; y < d->height - 1; y++)
            for (int x = 1; x < d->width - 1; x++)
                d->image[y * d->width + x] = d->fresh[y * d->width + x];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        Denoiser d = {.width = c.ny, .height = c.nx};
        d.noisy = corpus_floats("noisy", points);
        d.image = corpus_floats("image", points);
        d.weight = corpus_floats("weight", points);
        d.fresh = corpus_floats("fresh", points);
        rician_denoise(&d, 0.0025f, 26.0f, c.steps);
        corpus_end();
    }
    return 0;
}
