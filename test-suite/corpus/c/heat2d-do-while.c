/* One step at least: the time loop asks at its end whether there is another one. */
#include "corpus.h"

int heat(float *u, float *v, int n, int m, float end, float dt)
{
    float time = 0.0f;
    int steps = 0;
    do {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = u[i * m + j] + dt * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                                    u[i * m + j + 1] - 4.0f * u[i * m + j]);
        float *tmp = u;
        u = v;
        v = tmp;
        time += dt;
        steps++;
    } while (time < end);
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *u = corpus_floats("u", points), *v = corpus_floats("v", points);
        corpus_value("steps", heat(u, v, c.nx, c.ny, 0.125f * (float)c.steps, 0.125f));
        corpus_end();
    }
    return 0;
}
