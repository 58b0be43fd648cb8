// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The loop runs to its end; the limit is tested between blocks of steps. */
static void block(float *u, float *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25f * (u[i - 1] + 2.0f * u[i] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}

static int burnt(const float *u, int n, float limit)
{
    int found = 0;
    for (int i = 1; i < n - 1; i++)
        found |= u[i] > limit;
    return found;
}

int heat(float *u, float *v, int n, int steps, float limit)
{
    block(u, v, n, 100);
    if (burnt(u, n, limit))
        return 100;
    block(u, v, n, steps - 100);
    return steps;
}
