// second unit of red03.c: hexcc -O2 -g -flto -fuse-ld=lld red03.c red03_b.c
#include <stdio.h>
#include <stdlib.h>
double coeff(double v) { return v/2.0*(v+1.0); }
void advect(int reps, double *u); void sizes(int m);
int main(int argc, char **argv) {
    int n = 199 + argc; double *u = calloc(n*n, sizeof(double)), s = 0;
    for (int i = 0; i < n*n; i++) u[i] = i % 17;
    sizes(n); advect(100, u);
    for (int i = 0; i < n*n; i++) s += u[i] * (i % 5);
    printf("%.17g\n", s);
}
