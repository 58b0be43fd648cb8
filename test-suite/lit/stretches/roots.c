// Square roots in a sum, as C calls them: they only compute where nobody in the unit asks where errno is, else the sum stays
// on the host.
//
// RUN: %hexcc -O3 -gline-tables-only -Rpass=hexpass -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %hexcc -O3 -gline-tables-only -Rpass=hexpass -DASKS -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ASKS
#include <errno.h>
#include <math.h>

// CHECK: roots.c:[[#@LINE+5]]:{{[0-9]+}}: remark: {{.*}}tiled{{.*}}, 1 sum added up in the loop's order
// ASKS-NOT: 1 sum added up
// ASKS: roots.c:[[#@LINE+3]]:{{[0-9]+}}: remark: sweeps of one time step tiled
void heat(double *restrict u, double *restrict v, const int *restrict wall, double *restrict mean, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        double sum = 0.0;
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        for (int i = 1; i < n - 1; i++)
            if (wall[i] == 0)
                sum += sqrt(v[i + 1] * v[i + 1] - v[i - 1]);
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
        mean[t] = sum;
    }
}

#ifdef ASKS
int failed(void) { return errno; }
#endif
