// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [stride]

/* Points without padding: the numbers do not lie a whole number of their size apart. */
struct __attribute__((packed)) point {
    double u;
    char mark;
};

void heat(struct point *now, struct point *next, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            next[i].u = 0.5 * (now[i - 1].u + now[i + 1].u);
        for (long i = 1; i < n - 1; i++)
            now[i].u = next[i].u;
    }
}
