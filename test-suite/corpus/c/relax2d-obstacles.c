/* Cells of a kind each, of which some are swept over, until the largest change is small: all of them in one loop, and what
   is left alone is left alone. */
#include "corpus.h"
#include <math.h>

struct cell {
    double p, next;
    int kind;
};

int relax(struct cell *cells, int n, int m, int most, double tolerance)
{
    int steps = 0;
    double change;
    do {
        change = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                struct cell *c = &cells[i * m + j];
                if (c->kind == 0) {
                    c->next = 0.25 * (c[-1].p + c[1].p + c[-m].p + c[m].p);
                    double d = fabs(c->next - c->p);
                    if (d > change)
                        change = d;
                }
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                cells[i * m + j].p = cells[i * m + j].next;
        steps++;
    } while (change > tolerance && steps < most);
    return steps;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *p = corpus_doubles("p", points);
        double *taken = corpus_doubles("taken", 1);
        struct cell *cells = calloc(points + 1, sizeof *cells);
        for (size_t k = 0; k < points; k++)
            cells[k].p = cells[k].next = p[k];
        for (int i = 0; i < c.nx; i++)
            for (int j = 0; j < c.ny; j++)
                cells[i * c.ny + j].kind =
                    i == 0 || j == 0 || i == c.nx - 1 || j == c.ny - 1 ? 2 : (7 * i + 3 * j) % 11 == 0;
        *taken = c.steps > 0 ? relax(cells, c.nx, c.ny, c.steps, 1e-3) : 0;
        for (size_t k = 0; k < points; k++)
            p[k] = cells[k].p;
        free(cells);
        corpus_end();
    }
    return 0;
}
