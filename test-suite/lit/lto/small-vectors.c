// A function of a few lines in another unit, of which the compile step makes vectors: the link takes them apart, and the
// sweep that calls it is tiled.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %plain-clang -O3 main.c slope.c -o plain && ./plain > plain.out
//
// RUN: env HEXPASS_REPORT=full.jsonl %hexcc -O3 -flto=full main.c slope.c -o full
// RUN: FileCheck %s --check-prefix=REPORT < full.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu ./full > full.out && cmp plain.out full.out
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=emulated ./full > full.out && cmp plain.out full.out
//
// RUN: env HEXPASS_REPORT=thin.jsonl %hexcc -O3 -flto=thin main.c slope.c -o thin
// RUN: FileCheck %s --check-prefix=REPORT < thin.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu ./thin > thin.out && cmp plain.out thin.out
//
// REPORT: "apart":false
// REPORT-SAME: "message":"time loop tiled

//--- main.c
#include <stdio.h>
#include <stdlib.h>

void slope(double scale, double *out, double a, double b, double c, double d);

int main(void)
{
    int n = 120;
    double *u = malloc(sizeof *u * n * n), *v = malloc(sizeof *v * n * n);
    for (int i = 0; i < n * n; i++)
        u[i] = v[i] = i * 7919 % 1001 * 0.001;
    for (int t = 0; t < 30; t++) {
        for (int i = 2; i < n - 2; i++)
            for (int j = 2; j < n - 2; j++)
                slope(0.5, &v[i * n + j], u[i * n + j - 2], u[i * n + j - 1], u[i * n + j + 1], u[i * n + j + 2]);
        for (int i = 2; i < n - 2; i++)
            for (int j = 2; j < n - 2; j++)
                u[i * n + j] = u[i * n + j] - 0.1 * v[i * n + j];
    }
    for (int i = 0; i < n * n; i++)
        printf("%a %a\n", u[i], v[i]);
    return 0;
}
//--- slope.c
void slope(double scale, double *out, double a, double b, double c, double d)
{
    double e = scale / 24.0 * a;
    double f = scale / 24.0 * b * 27.0;
    double g = scale / 24.0 * c * 27.0;
    double h = scale / 24.0 * d;
    *out = e - f + g - h;
}
