// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The sweep runs to its end; points that have burnt through stay at the limit. */
void heat(float *u, float *v, int n, int steps, float limit)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            float x = 0.25f * (u[i - 1] + 2.0f * u[i] + u[i + 1]);
            v[i] = x > limit ? limit : x;
        }
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
