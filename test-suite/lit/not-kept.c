// The runtime keeps none of the pointers that a nest is handed, where nothing stays on a device: its arguments hold bare
// addresses, and the original knows as much of its arrays as without the call; so does a caller.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s
// RUN: %clang -O3 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=OPTIMISED

void show(const double *u);

// CHECK-LABEL: define {{.*}}@heat(
// CHECK-DAG: [[U:%.*]] = ptrtoaddr ptr %0 to i64
// CHECK-DAG: [[V:%.*]] = ptrtoaddr ptr %1 to i64
// CHECK-DAG: store i64 [[U]], ptr
// CHECK-DAG: store i64 [[V]], ptr
// CHECK: call i32 (ptr, ptr, ...) %{{.*}}(ptr @hexpass.nest.heat, ptr %{{[^,]*}}, ptr captures(none) %{{[01]}}, ptr captures(none) %{{[01]}})
// OPTIMISED-LABEL: define {{.*}}@heat(ptr noundef captures(address) %0, ptr noundef captures(address) %1,
void heat(double *u, double *v, long n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        for (long i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
}

// What stays on a device comes home later, through pointers that the runtime has kept.
// CHECK-LABEL: define {{.*}}@shown(
// CHECK-NOT: ptrtoaddr
// CHECK: call i32 (ptr, ptr, ...) %{{.*}}(ptr @hexpass.nest.shown, ptr %{{[^,]*}}) #
// CHECK-LABEL: define {{.*}}@hexpass.host.
void shown(double *u, double *v, long n, int steps, int times)
{
    for (int k = 0; k < times; k++) {
        for (int t = 0; t < steps; t++) {
            for (long i = 1; i < n - 1; i++)
                v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
            for (long i = 1; i < n - 1; i++)
                u[i] = v[i];
        }
        show(u);
    }
}
