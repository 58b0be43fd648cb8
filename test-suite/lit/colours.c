// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: a loop steps over elements, from a start that depends on where it is {{.+}} [stride]

/* A red-black sweep of two dimensions: each row starts at its first point of the colour. */
void relax(double *u, const double *f, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int colour = 0; colour < 2; colour++)
            for (int i = 1; i < n - 1; i++)
                for (int j = 1 + (i + colour) % 2; j < m - 1; j += 2)
                    u[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] +
                                           u[i * m + j + 1] - f[i * m + j]);
}
