// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [control-flow]

/* Rows that sleep are skipped: a whole loop stands under a condition on data. */
void flow(float *u, float *v, const unsigned char *awake, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            if (awake[i])
                for (int j = 1; j < m - 1; j++)
                    v[i * m + j] = 0.25f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] +
                                            u[i * m + j - 1] + u[i * m + j + 1]);
        float *tmp = u;
        u = v;
        v = tmp;
    }
}
