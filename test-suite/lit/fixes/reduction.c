// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The place is looked for every so many steps, between blocks of them; how large the change was, each step may say. */
static int largest(const double *u, const double *v, int n)
{
    double most = 0.0;
    int place = 0;
    for (int i = 1; i < n - 1; i++)
        if (v[i] - u[i] > most) {
            most = v[i] - u[i];
            place = i;
        }
    return place;
}

int jacobi(double *u, double *v, double *changes, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double most = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            double change = v[i] - u[i];
            if (change > most)
                most = change;
        }
        changes[t] = most;
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
    return largest(u, v, n);
}
