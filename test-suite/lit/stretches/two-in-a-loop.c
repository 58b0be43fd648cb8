// A loop over cases around two time loops that can only be taken with their sweeps waiting: the one that is taken first does
// not hide the other.
// RUN: %clang -O2 -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

int another_case(void);
void look(int t);

#define SWEEPS                                                                                                         \
    for (int i = 1; i < n - 1; i++)                                                                                    \
        v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];                                                         \
    for (int i = 1; i < n - 1; i++)                                                                                    \
        u[i] = v[i]

// CHECK-NOT: not taken
// CHECK-DAG: two-in-a-loop.c:[[#@LINE+8]]:{{[0-9]+}}: remark: time loop tiled with
// CHECK-DAG: two-in-a-loop.c:[[#@LINE+12]]:{{[0-9]+}}: remark: time loop tiled with
// CHECK-NOT: not taken
void cases(int n, int steps)
{
    double u[4096] = {1.0}, v[4096] = {1.0};
    n = n < 4096 ? n : 4096;
    while (another_case()) {
        for (int t = 0; t < steps; t++) {
            SWEEPS;
            if (t % 5 == 0)
                look(t);
        }
        for (int t = 0; t < 2 * steps; t++) {
            SWEEPS;
            if (t % 7 == 0)
                look(t);
        }
    }
    look((int)u[n / 2]);
}
