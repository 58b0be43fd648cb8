/* Each step works on an array of its own, and opens a file for its report; where that fails, it gives up, and frees the array
 * there as it does at its end. */
#include "corpus.h"

int heat(double *u, int n, int m, int steps, const char *path)
{
    for (int t = 0; t < steps; t++) {
        double *v = malloc(sizeof *v * (size_t)n * (size_t)m);
        for (int i = 0; i < n * m; i++)
            v[i] = u[i];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        for (int i = 0; i < n * m; i++)
            u[i] = v[i];
        FILE *report = fopen(path, "w");
        if (report == NULL) {
            free(v);
            return t;
        }
        fprintf(report, "%d\n", t);
        fclose(report);
        free(v);
    }
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *a = corpus_doubles("a", corpus_points(c.nx, c.ny, 1));
        double *b = corpus_doubles("b", corpus_points(c.nx, c.ny, 1));
        if (c.nx >= 1 && c.ny >= 1) {
            corpus_value("steps of a", heat(a, c.nx, c.ny, c.steps, "/dev/null"));
            corpus_value("steps of b", heat(b, c.nx, c.ny, c.steps, ""));
        }
        corpus_end();
    }
    return 0;
}
