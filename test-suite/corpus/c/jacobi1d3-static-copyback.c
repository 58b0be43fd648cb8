/* Three points averaged, the result copied back; arrays of a fixed size. */
#include "corpus.h"

#define MAXN 4200

static float A[MAXN];
static float B[MAXN];

void jacobi_1d(int n, int tsteps)
{
    int t, i;

    for (t = 0; t < tsteps; t++) {
        for (i = 1; i < n - 1; i++)
            B[i] = 0.33333f * (A[i - 1] + A[i] + A[i + 1]);
        for (i = 1; i < n - 1; i++)
            A[i] = B[i];
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        corpus_own("A", 'f', A, sizeof A);
        corpus_own("B", 'f', B, sizeof B);
        jacobi_1d(c.nx, c.steps);
        corpus_end();
    }
    return 0;
}
