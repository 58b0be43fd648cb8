// What rounds of a time loop keep counts with the step that the last of them ended at: a value that the counter of an
// ended loop leaves. The rounds are left; the time loop in them is taken.
// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not=bug

// CHECK: counter-ended.c:[[#@LINE+5]]:9: remark: time loop tiled
void rounds(int n, double *u, double *v, int steps, double *kept)
{
    int t = 0;
    for (int round = 0; round < 3; round++) {
        for (t = 0; t < steps; t++)
            for (int i = 1; i < n; i++)
                v[i] = u[i - 1];
        kept[8] += round + t;
    }
}
