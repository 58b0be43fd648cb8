/* Heat in a rod until its warmest and its coldest change are both small, found in loops of their own. */
#include "corpus.h"

int heat(double *u, double *v, int n, int steps, double tolerance)
{
    int t = 0;
    while (t < steps) {
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i] + 0.3 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        double up = -1e30, down = 1e30;
        for (int i = 1; i < n - 1; i++) {
            double change = v[i] - u[i];
            up = change > up ? change : up;
            down = change < down ? change : down;
        }
        double *tmp = u;
        u = v;
        v = tmp;
        t++;
        if (up < tolerance && down > -tolerance)
            break;
    }
    return t;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, 1, 1);
        double *u = corpus_doubles("u", points);
        double *v = corpus_doubles("v", points);
        corpus_value("steps taken", heat(u, v, c.nx, c.steps, 0.01));
        corpus_end();
    }
    return 0;
}
