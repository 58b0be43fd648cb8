// What was taken stays in the function, for the case that the runtime refuses. Where that is inlined into one that is
// looked at later, behind the inliner or when linking, it is not taken again.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O2 -S -emit-llvm -o run.ll -Rpass=hexpass -Rpass-missed=hexpass run.c 2>&1 | FileCheck run.c
// RUN: FileCheck run.c --check-prefix=IR < run.ll
// RUN: %clang -O3 -S -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass run.c 2>&1 | FileCheck run.c
// RUN: %hexcc -O2 -flto=full -c run.c && %hexcc -O2 -flto=full -c main.c
// RUN: env HEXPASS_REPORT=full.jsonl %hexcc -O2 -flto=full run.o main.o -o full && not grep transformed full.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu ./full
// RUN: %hexcc -O2 -flto=thin -c run.c && %hexcc -O2 -flto=thin -c main.c
// RUN: env HEXPASS_REPORT=thin.jsonl %hexcc -O2 -flto=thin run.o main.o -o thin && not grep transformed thin.jsonl
// RUN: env HEXPASS_MODE=mandatory HEXPASS_DEVICE=cpu ./thin

//--- run.c
// CHECK-NOT: remark
// CHECK: run.c:[[#@LINE+7]]:{{[0-9]+}}: remark: time loop tiled
// CHECK-NOT: remark
// IR: define {{.*}}@run(
// IR: call i32 {{.*}}@hexpass.nest.heat
// IR-NOT: call {{.*}}@hexpass.nest
static void heat(double *u, double *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }
}

void run(double *u, double *v, int n, int m, int steps) { heat(u, v, n, m, steps); }
//--- main.c
void run(double *u, double *v, int n, int m, int steps);
static double u[200 * 300], v[200 * 300];

int main(void)
{
    for (int i = 0; i < 200 * 300; i++)
        u[i] = v[i] = i % 7;
    run(u, v, 200, 300, 50);
    return 0;
}
