/* Between the two halves of each step somebody looks at the grid, and changes it: nothing can wait for the next step. */
#include "corpus.h"

struct watch {
    double seen, limit;
    int count;
};

/* Whoever it is, the loop doesn't know. */
typedef void watcher(struct watch *, double *, int);

static void look(struct watch *w, double *u, int points)
{
    for (int k = 0; k < points; k += 7)
        w->seen += u[k];
    if (points && u[points / 2] > w->limit) {
        u[points / 2] = w->limit;
        w->count++;
    }
}

CORPUS_HELPER void heat(double *u, double *v, int n, int m, watcher *watch, struct watch *w, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 0; j < m; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + 2.0 * u[i * m + j] + u[(i + 1) * m + j]);
        watch(w, v, n * m);
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = 0.25 * (v[i * m + j - 1] + 2.0 * v[i * m + j] + v[i * m + j + 1]);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    watcher *volatile who = look;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points);
        struct watch w = {0.0, 0.5, 0};
        if (points)
            heat(u, v, c.nx, c.ny, who, &w, c.steps);
        corpus_value("count", w.count);
        corpus_value("seen", (int64_t)(w.seen * 1e6));
        corpus_end();
    }
    return 0;
}
