/* Poisson's equation on fields that know their sizes: two of them change places whole after each sweep. */
#include "corpus.h"
#include <math.h>

struct field {
    int n, m;
    double *at;
};

static double relax(const struct field *a, struct field *b, const struct field *source, double omega)
{
    double change = 0.0;
    for (int i = 1; i < a->n - 1; i++)
        for (int j = 1; j < a->m - 1; j++) {
            double x = 0.25 * (a->at[(i - 1) * a->m + j] + a->at[(i + 1) * a->m + j] + a->at[i * a->m + j - 1] +
                               a->at[i * a->m + j + 1] - source->at[i * source->m + j]);
            b->at[i * b->m + j] = (1.0 - omega) * a->at[i * a->m + j] + omega * x;
            change = fmax(change, fabs(b->at[i * b->m + j] - a->at[i * a->m + j]));
        }
    return change;
}

static void swap(struct field *a, struct field *b)
{
    struct field kept = *a;
    *a = *b;
    *b = kept;
}

__attribute__((noinline)) static int solve(struct field *a, struct field *b, const struct field *source, double omega,
                                           int steps, double tolerance)
{
    int taken = 0;
    while (taken < steps) {
        double change = relax(a, b, source, omega);
        swap(a, b);
        taken++;
        if (change < tolerance)
            break;
    }
    return taken;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        struct field a = {c.nx, c.ny, corpus_doubles("a", points)};
        struct field b = {c.nx, c.ny, corpus_doubles("b", points)};
        struct field source = {c.nx, c.ny, corpus_doubles("source", points)};
        int taken = 0;
        if (points)
            taken = solve(&a, &b, &source, 0.8, c.steps, 0.02);
        corpus_value("taken", taken);
        corpus_end();
    }
    return 0;
}
