// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [non-affine]

/* An unstructured mesh: neighbours are looked up. */
void relax(double *u, double *v, const int *left, const int *right, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[left[i]] + u[right[i]]);
        for (int i = 0; i < n; i++)
            u[i] = v[i];
    }
}
