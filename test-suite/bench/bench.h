/*
 * What the benchmark programs share. Each of them is one function, `kernel`,
 * compiled for REAL=float and REAL=double, by the stock compiler and by ours
 * (-Dkernel=kernel_stock, -Dkernel=kernel_tiled); main.c runs both.
 */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>

/* A coefficient in the data's type, as 0.25f is for float. */
#define R(x) ((REAL)(x))

static inline REAL root(REAL x)
{
    return sizeof x == sizeof(float) ? (REAL)sqrtf((float)x) : (REAL)sqrt((double)x);
}

/* The function's parameters, by its dimensions and by its arrays: one in two
   time levels, or FIELDS of one level each. */
#if FIELDS
#define PARAMETERS                                                                                 \
    int n, int m, int steps, REAL ex[restrict n][m], REAL ey[restrict n][m], REAL hz[restrict n][m]
#elif DIMS == 1
#define PARAMETERS int n, int steps, REAL *a, REAL *b
#elif DIMS == 2
#define PARAMETERS int n, int m, int steps, REAL a[2][n][m]
#else
#define PARAMETERS int n, int m, int l, int steps, REAL a[2][n][m][l]
#endif

void kernel_stock(PARAMETERS);
void kernel_tiled(PARAMETERS);

#endif
