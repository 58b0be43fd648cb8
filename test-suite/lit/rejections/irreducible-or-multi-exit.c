// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [irreducible-or-multi-exit]

/* Sweeps as far as the first point that has burnt through; the step goes on. */
void heat(float *u, float *v, int n, int steps, float limit)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.25f * (u[i - 1] + 2.0f * u[i] + u[i + 1]);
            if (v[i] > limit)
                break;
        }
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
