/* Rows behind pointers in a structure, whose first and last ones are set by themselves, between the sweep and the exchange
   of the two tables. */
#include "corpus.h"

typedef struct {
    int nx, ny;
    double dx, dt, time;
    double **now, **next;
} Sim;

static void edges(Sim *s)
{
    for (int i = 0; i < s->nx; i++) {
        s->next[i][0] = s->next[i][1];
        s->next[i][s->ny - 1] = s->next[i][s->ny - 2];
    }
    for (int j = 0; j < s->ny; j++) {
        s->next[0][j] = 1.0;
        s->next[s->nx - 1][j] = 0.25;
    }
}

static void step(Sim *s)
{
    double r = s->dt / (s->dx * s->dx);
    for (int i = 1; i < s->nx - 1; i++)
        for (int j = 1; j < s->ny - 1; j++)
            s->next[i][j] = s->now[i][j] + r * (s->now[i + 1][j] + s->now[i - 1][j] + s->now[i][j + 1] + s->now[i][j - 1] -
                                                4.0 * s->now[i][j]);
    edges(s);
    double **rows = s->now;
    s->now = s->next;
    s->next = rows;
    s->time += s->dt;
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        double *u = corpus_doubles("u", points), *v = corpus_doubles("v", points), *time = corpus_doubles("time", 1);
        int nx = c.nx > 1 && c.ny > 1 ? c.nx : 0;
        double **rows = malloc(((size_t)nx + 1) * sizeof *rows), **others = malloc(((size_t)nx + 1) * sizeof *others);
        for (int i = 0; i < nx; i++) {
            rows[i] = u + (size_t)i * c.ny;
            others[i] = v + (size_t)i * c.ny;
        }
        Sim s = {nx, c.ny, 1.0, 0.125, 0.0, rows, others};
        if (nx)
            for (int t = 0; t < c.steps; t++)
                step(&s);
        time[0] = s.time;
        free(rows);
        free(others);
        corpus_end();
    }
    return 0;
}
