/* Each point takes from one at a distance that only the run knows, in place: which value it finds there depends on the
   distance's sign. */
#include "corpus.h"

static void follow(double *u, int n, int ahead, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n; i++)
            u[i] = 0.5 * (u[i] + u[i + ahead]);
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t room = (size_t)abs(c.ny);
        double *u = corpus_doubles("u", corpus_points(c.nx, 1, 1) + 2 * room);
        follow(u + room, c.nx, c.ny, c.steps);
        corpus_end();
    }
    return 0;
}
