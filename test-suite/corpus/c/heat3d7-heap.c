/* Each row is allocated by itself, and the table of a plane's rows lies between them, as a heap does it. */
#include "corpus.h"

struct heap {
    char *at;
};

static void *take(struct heap *heap, size_t bytes)
{
    char *at = heap->at;
    heap->at += (bytes + 15) / 16 * 16 + 16;
    return at;
}

static size_t positive(int n)
{
    return n > 0 ? (size_t)n : 0;
}

static double ***grid(struct heap *heap, int n, int m, int l)
{
    double ***u = take(heap, positive(n) * sizeof *u);
    for (int i = 0; i < n; i++) {
        u[i] = take(heap, positive(m) * sizeof **u);
        for (int j = 0; j < m; j++)
            u[i][j] = take(heap, positive(l) * sizeof ***u);
    }
    return u;
}

static void move(double ***u, double *all, int n, int m, int l, int back)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m && l > 0; j++) {
            double *row = all + ((size_t)i * (size_t)m + (size_t)j) * (size_t)l;
            memcpy(back ? row : u[i][j], back ? u[i][j] : row, (size_t)l * sizeof *row);
        }
}

void heat(double ***u, double ***v, int n, int m, int l, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < l - 1; k++)
                    v[i][j][k] = u[i][j][k] + 0.1 * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] +
                                                     u[i][j + 1][k] + u[i][j][k - 1] + u[i][j][k + 1] -
                                                     6.0 * u[i][j][k]);
        double ***tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, c.nz);
        double *a = corpus_doubles("a", points), *b = corpus_doubles("b", points);
        size_t tables = (positive(c.nx) + 1) * (positive(c.ny) + 3) * 40;
        char *memory = malloc(2 * (points * sizeof(double) + tables) + 4096);
        struct heap heap = {memory};
        double ***u = grid(&heap, c.nx, c.ny, c.nz), ***v = grid(&heap, c.nx, c.ny, c.nz);
        move(u, a, c.nx, c.ny, c.nz, 0);
        move(v, b, c.nx, c.ny, c.nz, 0);
        heat(u, v, c.nx, c.ny, c.nz, c.steps);
        move(u, a, c.nx, c.ny, c.nz, 1);
        move(v, b, c.nx, c.ny, c.nz, 1);
        corpus_end();
        free(memory);
    }
    return 0;
}
