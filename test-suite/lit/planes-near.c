// Planes of a flat array that take turns, of two fields in one sweep; and loops over neighbours of what a counter says.
// RUN: %clang -O2 -fno-math-errno -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

#define AT(f, t, i, j) f[(t) % 2 * nx * ny + (j) * nx + (i)]

void waves(double *restrict h, double *restrict u, int nx, int ny, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D, {{[12]}} statement
    for (int t = 1; t <= steps; t++)
        for (int j = 1; j < ny - 1; j++)
            for (int i = 1; i < nx - 1; i++) {
                AT(h, t, i, j) = AT(h, t - 1, i, j) - 0.1 * (AT(u, t - 1, i, j) - AT(u, t - 1, i - 1, j));
                AT(u, t, i, j) = AT(u, t - 1, i, j) - 0.1 * (AT(h, t - 1, i + 1, j) - AT(h, t, i, j));
            }
}

void life(unsigned *restrict now, unsigned *restrict next, int n, int m, int steps)
{
    // CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                unsigned around = 0;
                for (int k = i - 1; k <= i + 1; k++)
                    for (int l = j - 1; l <= j + 1; l++)
                        around += now[k * m + l];
                next[i * m + j] = around == 3 || (around == 4 && now[i * m + j]);
            }
        unsigned *other = now;
        now = next;
        next = other;
    }
}
