// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [reduction]

/* Where the change of each iteration was largest is kept. */
void jacobi(double *u, double *v, int *where, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double most = 0.0;
        int place = 0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            double change = v[i] - u[i];
            if (change > most) {
                most = change;
                place = i;
            }
        }
        where[t] = place;
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
