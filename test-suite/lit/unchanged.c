// What is not taken is left exactly as it was, to the last name in the module.
// RUN: %plain-clang -O2 -g -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: opt-22 -S -o %t.before %t.ll
// RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass -S -o %t.after %t.ll
// RUN: diff %t.before %t.after

static double weight(int i) { return 0.25 + i; }

double gauss_seidel(double *u, int n, int steps)
{
    double largest = 0.0;
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++) {
            double before = u[i];
            u[i] = weight(i) * (u[i - 1] + u[i + 1]);
            if (u[i] - before > largest)
                largest = u[i] - before;
        }
    return largest;
}
