// A load from a place that a condition chooses is several where sweeps are looked at. What is left of the original has the one
// of the source again, from the place that it had, also where the time loop stands in another and keeps the copy's body.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o - %t.ll | FileCheck %s

void show(const double *u, long n);

// CHECK-LABEL: define {{.*}}@blow(
// CHECK: [[WIND:%.*]] = load double, ptr
// CHECK: [[STRONG:%.*]] = fcmp ogt double [[WIND]], 5.000000e-01
// CHECK: [[FROM:%.*]] = select i1 [[STRONG]], i64 -1, i64
// CHECK: [[HERE:%.*]] = load double, ptr
// CHECK-NEXT: [[PLACE:%.*]] = getelementptr double, ptr {{.*}}, i64 [[FROM]]
// CHECK-NEXT: [[THERE:%.*]] = load double, ptr [[PLACE]]
// CHECK-NEXT: fsub double [[THERE]], [[HERE]]
// CHECK: call i32 {{.*}}@hexpass.nest.blow
// CHECK-NOT: call void @llvm.assume
void blow(double *u, double *v, const double *wind, long n, int shown, int steps)
{
    for (int k = 0; k < shown; k++) {
        for (int t = 0; t < steps; t++) {
            for (long i = 1; i < n - 1; i++) {
                long from = wind[i] > 0.5 ? -1 : wind[i] < 0.4;
                v[i] = u[i] + 0.3 * (u[i + from] - u[i]);
            }
            double *swap = u;
            u = v;
            v = swap;
        }
        show(u, n);
    }
}
