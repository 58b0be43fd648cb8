/* Gradient of a plane whose steps are now and then so steep that their squares overflow, or are no numbers at all. */
#include "corpus.h"

#include <math.h>

/* A cliff, a hole and a point of which nothing is known, far enough apart that most of the plane is smooth. */
static void roughen(float *u, int n, int m)
{
    u[(n / 2) * m + m / 2] = 1e30f;
    u[(n / 3) * m + m / 4] = -INFINITY;
    u[(n - 1) * m + m - 1] = NAN;
    u[(n / 4) * m + (m - 1)] = 3e19f;
}

void gradient(float *u, float *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                float c = u[i * m + j];
                float dn = c - u[(i - 1) * m + j], ds = c - u[(i + 1) * m + j];
                float dw = c - u[i * m + j - 1], de = c - u[i * m + j + 1];
                v[i * m + j] = c + 1.0f / sqrtf(0.0001f + dn * dn + ds * ds + dw * dw + de * de);
            }
        float *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        float *u = corpus_floats("u", corpus_points(c.nx, c.ny, 1));
        float *v = corpus_floats("v", corpus_points(c.nx, c.ny, 1));
        if (c.nx > 0 && c.ny > 0)
            roughen(u, c.nx, c.ny);
        gradient(u, v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
