// A switch in a sweep becomes branches for detection, and is a switch again in what is left of the original, as narrow as
// without the plugin.
// RUN: %plain-clang -O2 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang -O2 -S -emit-llvm -o - -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefixes=TAKEN,CHECK

#include <stdbool.h>

// TAKEN: remark: time loop tiled
// CHECK: define {{.*}}@life(
// CHECK: switch i8
void life(bool *u, bool *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const bool *c = &u[i * m + j];
                switch (c[-m - 1] + c[-m] + c[-m + 1] + c[-1] + c[1] + c[m - 1] + c[m] + c[m + 1]) {
                case 2:
                    v[i * m + j] = *c;
                    break;
                case 3:
                    v[i * m + j] = true;
                    break;
                default:
                    v[i * m + j] = false;
                }
            }
        bool *tmp = u;
        u = v;
        v = tmp;
    }
}
