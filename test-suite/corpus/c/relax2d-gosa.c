/* Relaxation whose sum of squared changes is that of the last step, as are a norm, a maximum and a count; the loop
   says nothing of the other steps. */
#include "corpus.h"
#include <math.h>

struct change {
    float squares;
    double norm, largest;
    long points;
};

static struct change relax(float *p, float *next, const float *weight, int n, int m, int steps)
{
    struct change c = {-1.0f, -1.0, -1.0, -1};

    for (int t = 0; t < steps; t++) {
        float sum = 0.0f;
        double magnitudes = 0.5, largest = 0.0;
        long points = 0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                float s = p[(i - 1) * m + j] + p[(i + 1) * m + j] + p[i * m + j - 1] + p[i * m + j + 1];
                float change = (0.25f * s - p[i * m + j]) * weight[i * m + j];
                sum += change * change;
                magnitudes += fabs(change);
                if (fabs(change) > largest)
                    largest = fabs(change);
                if (change > 0.0f)
                    points++;
                next[i * m + j] = p[i * m + j] + 0.8f * change;
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                p[i * m + j] = next[i * m + j];
        c.squares = sum;
        c.norm = sqrt(magnitudes / n);
        c.largest = largest;
        c.points = points;
    }
    return c;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *p = corpus_floats("p", points);
        float *next = corpus_floats("next", points);
        float *weight = corpus_floats("weight", points);
        double *changes = corpus_doubles("changes", 4);
        struct change last = relax(p, next, weight, c.nx, c.ny, c.steps);
        changes[0] = last.squares;
        changes[1] = last.norm;
        changes[2] = last.largest;
        changes[3] = (double)last.points;
        corpus_end();
    }
    return 0;
}
