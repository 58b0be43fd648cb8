// Kernels of long bodies keep compilers busy for long: of their variants, only some are made.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: time loop tiled with {{[a-z0-9]+}} ({{[^|]*[|][^|]*([|][^|]*)?([|][^|]*)?([|][^|]*)?([|][^|]*)?([|][^|]*)?([|][^|]*)?([|][^|]*)?}}): 2-D, 9 statements

typedef struct {
    int rows, columns;
    unsigned char *cells, *next;
} World;

static int alive(const World *w, int i, int j)
{
    if (i < 0 || i >= w->rows || j < 0 || j >= w->columns)
        return 0;
    return w->cells[i * w->columns + j];
}

static int neighbours(const World *w, int i, int j)
{
    int count = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
            if (di || dj)
                count += alive(w, i + di, j + dj);
    return count;
}

static void generation(World *w)
{
    for (int i = 0; i < w->rows; i++)
        for (int j = 0; j < w->columns; j++) {
            int count = neighbours(w, i, j);
            w->next[i * w->columns + j] = count == 3 || (count == 2 && alive(w, i, j));
        }
    unsigned char *now = w->next;
    w->next = w->cells;
    w->cells = now;
}

void life(World *of, int steps)
{
    World w = *of;
    for (int t = 0; t < steps; t++)
        generation(&w);
    *of = w;
}
