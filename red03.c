// adv_strazdins: with -flto, a call into another unit (no loop in it) in each step, and the size in a static variable: neither compile step nor link says or takes anything; without -flto it is taken, one step at a time
#include <stdlib.h>
double coeff(double v);
static int n;
void sizes(int m) { n = m; }
static void update(double *u, double *v) {
    double a = coeff(0.2);
    for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++) v[i*n+j] = u[i*n+j] + a*(u[(i-1)*n+j] + u[(i+1)*n+j] - 2*u[i*n+j]);
    for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++) u[i*n+j] = v[i*n+j];
}
void advect(int reps, double *u) {
    double *v = calloc(n*n, sizeof(double));
    for (int r = 0; r < reps; r++) update(u, v);
    free(v);
}
