// RUN: %clang -O2 -S -o /dev/null -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
// CHECK: remark: loop not taken: {{.+}} [base-pointer]

/* A list of rows says in which order they lie. */
void relax(double **rows, const int *order, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++) {
            const double *above = rows[order[i - 1]], *below = rows[order[i + 1]];
            double *row = rows[order[i]] + m;
            for (int j = 0; j < m; j++)
                row[j] = 0.5 * (above[j] + below[j]);
        }
}
