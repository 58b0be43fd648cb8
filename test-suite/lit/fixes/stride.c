// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Structures are padded; better still is an array for each field, and one for each colour of a red-black sweep: then the
   elements of a row are neighbours. */
struct point {
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
