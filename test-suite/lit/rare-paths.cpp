// A time loop that assigns one container to another hardly ever allocates: what it does then is taken out of it, and the
// rest is a nest that is left under conditions which don't change in it.
// RUN: %plain-clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %t.ll | FileCheck %s
// RUN: %clangxx -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --check-prefix=TAKEN

#include <valarray>
#include <vector>

// CHECK-LABEL: define {{.*}}@vectors(
// CHECK: resume:
// CHECK: settled:
// CHECK-NOT: call {{.*}}@_Znwm
// CHECK: br i1 %{{.*}}, label %rare
// CHECK-NOT: call {{.*}}@_Znwm
// CHECK: call void @llvm.memmove
// CHECK-NOT: store ptr
// CHECK: br {{.*}}!hexpass.rare
// CHECK: call {{.*}}@_Znwm
extern "C" void vectors(std::vector<double> &u, std::vector<double> &v, int n, int m, int steps)
{
    // The copy is a statement of the nest; the vectors' heads are read beside it.
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 2-D, 2 statements, 4 arrays
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        u = v;
    }
}

// Two in one step: of either, a change of length is a rare path of its own.
// CHECK-LABEL: define {{.*}}@both(
// CHECK: settled:
// CHECK-COUNT-2: call void @llvm.memmove
extern "C" void both(std::vector<double> &last, std::vector<double> &now, std::vector<double> &next, int n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D, 3 statements
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            next[i] = now[i - 1] + now[i + 1] - last[i];
        last = now;
        now = next;
    }
}

// A valarray's memory is from an operator new that is called by its name; its elements are copied unless there are none.
// CHECK-LABEL: define {{.*}}@arrays(
// CHECK: settled:
// CHECK-NOT: call {{.*}}@_Znwm
// CHECK: br i1 %{{.*}}, label %rare
extern "C" void arrays(std::valarray<double> &u, std::valarray<double> &v, int n, int steps)
{
    // TAKEN: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D, 2 statements
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        u = v;
    }
}

// Where memory is allocated in each step, that is rare once it is kept.
// CHECK-LABEL: define {{.*}}@anew(
// CHECK: resume:
// CHECK: ret void
extern "C" void anew(std::vector<double> &u, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        std::vector<double> old(u);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = 0.25 * (old[(i - 1) * m + j] + old[(i + 1) * m + j] + old[i * m + j - 1] + old[i * m + j + 1]);
    }
}
