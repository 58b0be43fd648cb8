// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* The condition stands inside the innermost loop, where it chooses between values. A condition on sizes may enclose a
   whole loop. */
void flow(float *u, float *v, const unsigned char *awake, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                if (awake[i])
                    v[i * m + j] = 0.25f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] +
                                            u[i * m + j - 1] + u[i * m + j + 1]);
        float *tmp = u;
        u = v;
        v = tmp;
    }
}
