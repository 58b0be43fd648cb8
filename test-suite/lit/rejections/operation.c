// RUN: %clang -O2 -fno-math-errno -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [operation]

/* Bits of neighbours in the opposite order: an operation that few bodies need. */
void mirror(unsigned *u, unsigned *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = __builtin_bitreverse32(u[i - 1]) ^ u[i + 1];
        unsigned *tmp = u;
        u = v;
        v = tmp;
    }
}
