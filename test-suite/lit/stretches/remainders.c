// The place after the last one of a ring is a choice in what is left of the original loop, as -O3 makes it one of a
// remainder: no division for each point.
// RUN: %hexcc -O3 -S -emit-llvm -o - %s | FileCheck %s

// CHECK-LABEL: define {{.*}}@heat.stretch(
// CHECK-NOT: srem
// CHECK: select i1
// CHECK-NOT: srem
// CHECK: {{^}}}

struct params {
    int steps, n;
};

static void diffuse(const struct params p, const int *g, int *h)
{
    for (int i = 0; i < p.n; i++) {
        int l = i == 0 ? p.n - 1 : i - 1, r = (i + 1) % p.n;
        h[i] = g[l] + 2 * g[i] + g[r];
    }
}

static int above(const struct params p, const int *g)
{
    int count = 0;
    for (int i = 0; i < p.n; i++)
        if (g[i] > 100)
            count++;
    return count;
}

void heat(struct params *p, int *g, int *h, int *counts, int steps)
{
    for (int t = 0; t < steps; t++) {
        diffuse(*p, g, h);
        for (int i = 0; i < p->n; i++)
            g[i] = h[i] >> 2;
        counts[t] = 3 + above(*p, g) / 2;
    }
}
