// RUN: %clang -O2 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --implicit-check-not='not taken'
// CHECK: remark: time loop tiled

/* Bits are exchanged by shifts and masks, which are handled, as are quotients, remainders, conversions and rounding.
   Functions of libm (`sin`, `pow`) are taken for the CPU only: their bits are the host library's own. */
static unsigned mirrored(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    return (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
}

void mirror(unsigned *u, unsigned *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = mirrored(u[i - 1]) ^ u[i + 1];
        unsigned *tmp = u;
        u = v;
        v = tmp;
    }
}
