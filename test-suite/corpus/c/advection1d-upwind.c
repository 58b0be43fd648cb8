/* Transport to the right, second-order upwind differences: neighbours on one side only. */
#include "corpus.h"

double *advect(double *q, double *qnew, int n, int steps, double courant)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 2; i < n; i++)
            qnew[i] = q[i] - courant * (1.5 * q[i] - 2.0 * q[i - 1] + 0.5 * q[i - 2]);
        double *tmp = q;
        q = qnew;
        qnew = tmp;
    }
    return q;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        double *q = corpus_doubles("q", corpus_points(c.nx, 1, 1));
        double *qnew = corpus_doubles("qnew", corpus_points(c.nx, 1, 1));
        double *last = advect(q, qnew, c.nx, c.steps, 0.1);
        corpus_value("last is q", last == q);
        corpus_end();
    }
    return 0;
}
