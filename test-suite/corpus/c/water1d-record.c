/* Shallow water in a channel; a table that nothing of the steps reads keeps the heights of all of them. */
#include "corpus.h"

static void channel(int n, int steps, double r, double *h, double *q, double *hm, double *qm, double *heights)
{
    for (int t = 1; t <= steps; t++) {
        for (int i = 0; i < n - 1; i++) {
            hm[i] = 0.5 * (h[i] + h[i + 1]) - 0.5 * r * (q[i + 1] - q[i]);
            qm[i] = 0.5 * (q[i] + q[i + 1]) - 0.5 * r * (h[i + 1] * h[i + 1] - h[i] * h[i]);
        }
        for (int i = 1; i < n - 1; i++) {
            h[i] = h[i] - r * (qm[i] - qm[i - 1]);
            q[i] = q[i] - r * (hm[i] * hm[i] - hm[i - 1] * hm[i - 1]);
        }
        h[0] = h[1];
        h[n - 1] = h[n - 2];
        q[0] = -q[1];
        q[n - 1] = -q[n - 2];
        for (int i = 0; i < n; i++)
            heights[i + t * n] = h[i];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        int n = c.nx, steps = c.steps > 0 ? c.steps : 0;
        double *h = corpus_doubles("h", corpus_points(n, 1, 1));
        double *q = corpus_doubles("q", corpus_points(n, 1, 1));
        double *hm = corpus_doubles("hm", corpus_points(n, 1, 1));
        double *qm = corpus_doubles("qm", corpus_points(n, 1, 1));
        double *heights = corpus_doubles("heights", corpus_points(n, steps + 1, 1));
        channel(n, c.steps, 0.05, h, q, hm, qm, heights);
        corpus_end();
    }
    return 0;
}
