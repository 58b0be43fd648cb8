// A mask keeps sweeps over whole grids inside: all steps are taken, also where the largest change under the mask decides, and
// the guard looks at the mask's border. A grid so small that nothing is inside is left to the original.
//
// RUN: %plain-clang -O2 -w %s -o %t.plain && %t.plain 64 80 0 > %t.expected
// RUN: %hexcc -O2 -g %s -o %t.walls
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.walls 64 80 0 > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck %s < %t.info
//
// CHECK: hexpass: spread@{{.*}}: cpu{{.*}}, 40 steps,
// CHECK-NOT: original
// CHECK: hexpass: relax@{{.*}}: cpu{{.*}} steps,
// CHECK-NOT: original
//
// RUN: %t.plain 64 80 1 > %t.expected
// RUN: env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.walls 64 80 1 > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck --check-prefix=OPEN %s < %t.info
//
// OPEN: hexpass: spread@{{.*}}: original loop: {{.*}} does not keep the sweep inside of its grid (check-mask)
//
// RUN: %t.plain 6 2 1 > %t.expected
// RUN: env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.walls 6 2 1 > %t.out 2> %t.info
// RUN: cmp %t.expected %t.out
// RUN: FileCheck --check-prefix=SMALL %s < %t.info
//
// SMALL: hexpass: spread@{{.*}}: original loop: {{.*}} (check-size)

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void spread(double *u, double *v, const int *wall, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int k = i * m + j;
                if (wall[k] == 0)
                    v[k] = u[k] + 0.1 * (u[k - 1] + u[k + 1] + u[k - m] + u[k + m] - 4 * u[k]);
            }
        double *swap = u;
        u = v;
        v = swap;
    }
}

static int relax(double *p, double *q, const int *wall, int n, int m)
{
    int steps = 0;
    double change = 1;
    while (change > 0.05 && steps < 500) {
        change = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int k = i * m + j;
                if (wall[k] == 0) {
                    q[k] = 0.25 * (p[k - 1] + p[k + 1] + p[k - m] + p[k + m]);
                    change = fmax(change, fabs(q[k] - p[k]));
                }
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                p[i * m + j] = q[i * m + j];
        steps++;
    }
    return steps;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), m = atoi(argv[2]), open = atoi(argv[3]);
    double *u = malloc(n * m * sizeof *u), *v = malloc(n * m * sizeof *v);
    int *wall = malloc(n * m * sizeof *wall);
    for (int k = 0; k < n * m; k++) {
        int i = k / m, j = k % m;
        wall[k] = i == 0 || j == 0 || i == n - 1 || j == m - 1 ? 2 : (7 * i + 3 * j) % 11 == 0;
        u[k] = v[k] = (13 * i + 7 * j) % 17;
    }
    if (open)
        wall[n / 2 * m] = 0;
    spread(u, v, wall, n, m, 40);
    printf("%d\n", relax(u, v, wall, n, m));
    double sum = 0;
    for (int k = 0; k < n * m; k++)
        sum += u[k] * (k % 5 + 1);
    printf("%.17g\n", sum);
    return 0;
}
