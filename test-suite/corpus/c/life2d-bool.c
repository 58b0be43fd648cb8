/* The game of life on truth values, in bytes; a switch decides. */
#include "corpus.h"
#include <stdbool.h>

void life(bool *u, bool *v, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                const bool *c = &u[i * m + j];
                int alive = c[-m - 1] + c[-m] + c[-m + 1] + c[-1] + c[1] + c[m - 1] + c[m] + c[m + 1];
                switch (alive) {
                case 2:
                    v[i * m + j] = *c;
                    break;
                case 3:
                    v[i * m + j] = true;
                    break;
                default:
                    v[i * m + j] = false;
                }
            }
        bool *tmp = u;
        u = v;
        v = tmp;
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        uint8_t *u = corpus_octets("u", points), *v = corpus_octets("v", points);
        for (size_t i = 0; i < points; i++)
            u[i] = v[i] = u[i] & 1;
        life((bool *)u, (bool *)v, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
