// Both ends of a grid that are filled from the last row but one: where there are no rows between them, they are the same,
// and the original loop runs.
// RUN: %plain-clang -w -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: env HEXPASS_REPORT=%t.jsonl %hexcc -w -O2 -gline-tables-only %s -o %t.hex && env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
// RUN: cmp %t.plain.out %t.out
// RUN: FileCheck %s < %t.jsonl
// CHECK: "function":"torus"{{.*}}"message":"time loop taken one step a launch
// RUN: FileCheck %s --check-prefix=INFO < %t.info
// INFO-DAG: torus@{{.*}}: cpu{{.*}} 7 steps
// INFO-DAG: torus@{{.*}}: original loop: {{.*}}(check-size)
#include <stdio.h>

enum { M = 40, MOST = 44 };

double grid[2][(MOST + 4) * (M + 2)];

__attribute__((noinline)) void torus(double *u, double *v, int rows, int columns, int steps)
{
    int m = columns + 2;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i <= rows; i++)
            for (int j = 1; j <= columns; j++)
                v[i * m + j] = 0.6 * u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] +
                                                           u[i * m + j - 1] + u[i * m + j + 1]);
        for (int j = 1; j <= columns; j++) {
            double last = v[rows * m + j];
            v[j] = 0.5 * last;
            v[(rows + 1) * m + j] = 2.0 * last;
        }
        double *w = u;
        u = v;
        v = w;
    }
}

int main(void)
{
    for (int rows = -1; rows <= MOST; rows += 1 + rows / 8)
        for (int columns = -1; columns <= M; columns += 1 + columns / 4) {
            for (int i = 0; i < (MOST + 4) * (M + 2); i++)
                grid[0][i] = grid[1][i] = (i * 37 % 101) * 0.01;
            torus(grid[0] + M + 2, grid[1] + M + 2, rows, columns, 7);
            double sum = 0.0;
            for (int i = 0; i < (MOST + 4) * (M + 2); i++)
                sum = 0.99 * sum + grid[0][i] - 0.3 * grid[1][i];
            printf("%d %d %.17g\n", rows, columns, sum);
        }
    return 0;
}
