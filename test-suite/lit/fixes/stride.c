// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Each colour has an array of its own. In place of an array of structures, there is one array for each field. */
void red_black(double *red, double *black, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            red[i] = 0.5 * (black[i - 1] + black[i]);
        for (long i = 1; i < n - 1; i++)
            black[i] = 0.5 * (red[i] + red[i + 1]);
    }
}
