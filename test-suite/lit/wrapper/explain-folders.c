// The same of C, for which clang names files in another way.
// RUN: rm -rf %t && mkdir -p %t/sub %t/other && cp %s %t/sub/heat.c && cd %t
// RUN: %hexcc --explain -O2 sub/heat.c | FileCheck %s -DNAME=sub/heat.c
// RUN: %hexcc --explain -O2 %t/sub/heat.c | FileCheck %s -DNAME=%t/sub/heat.c
// RUN: cd other && %hexcc --explain -O2 %t/sub/heat.c | FileCheck %s -DNAME=%t/sub/heat.c
// RUN: %hexcc --explain -O2 ../sub/heat.c | FileCheck %s -DNAME=../sub/heat.c
void heat(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}
// CHECK: {{^}}[[NAME]]:{{$}}
// CHECK: for (int t = 0; t < steps; t++) {
// CHECK-NEXT: ^ tiled: time loop tiled
