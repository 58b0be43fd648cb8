// What is no grid is told apart before a copy is made of it, and nothing is said of it.
// RUN: %clang -O2 -gline-tables-only -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not=remark:

struct list {
    struct list *next;
    int from, to;
};

/* How far the inner loop goes, the numbers say. */
void insertion_sort(int *a, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int x = a[i], j = i;
            for (; j >= gap && a[j - gap] > x; j -= gap)
                a[j] = a[j - gap];
            a[j] = x;
        }
}

static void sift(float *heap, long at, long n)
{
    float x = heap[at];
    while (2 * at + 1 < n) {
        long child = 2 * at + 1;
        if (child + 1 < n && heap[child] < heap[child + 1])
            child++;
        heap[at] = heap[child];
        at = child;
    }
    while (at > 0 && heap[(at - 1) / 2] < x) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = x;
}

void heap_sort(float *heap, long n)
{
    for (long i = n / 2; i >= 0; i--)
        sift(heap, i, n);
}

/* A text is copied word by word: each goes on where the last has ended. */
unsigned long words(const char *text, char *out)
{
    unsigned long used = 0;
    while (*text) {
        while (*text && *text != ' ')
            out[used++] = *text++;
        out[used++] = '\n';
        while (*text == ' ')
            text++;
    }
    return used;
}

/* What moves is a pointer along a list. */
void renumber(struct list **tables, int n, int old, int new)
{
    for (int i = 0; i < n; i++)
        for (struct list *l = tables[i]; l; l = l->next)
            if (l->from == old)
                l->from = new + l->to;
}

/* Where it writes, the image says. */
void histogram(const unsigned char *image, int *bins, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            bins[image[y * w + x]]++;
}

/* A grid of integers, in a loop whose end they decide, is one. */
// CHECK: look.c:[[#@LINE+4]]:{{[0-9]+}}: remark: time loop tiled
int life(unsigned char *now, unsigned char *next, int n, int m)
{
    int steps = 0;
    for (int t = 0; t < 1000; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int around = now[(i - 1) * m + j - 1] + now[(i - 1) * m + j] + now[(i - 1) * m + j + 1] +
                             now[i * m + j - 1] + now[i * m + j + 1] + now[(i + 1) * m + j - 1] +
                             now[(i + 1) * m + j] + now[(i + 1) * m + j + 1];
                next[i * m + j] = around == 3 || (around == 2 && now[i * m + j]);
            }
        unsigned char *swap = now;
        now = next;
        next = swap;
        steps++;
    }
    return steps;
}
