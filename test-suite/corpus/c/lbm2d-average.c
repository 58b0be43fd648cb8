/* Populations that move round a torus of any size and collide where there is no obstacle; every step writes down the
   average speed of the free cells, which it counts each time. */
#include "corpus.h"
#include <math.h>

enum { SPEEDS = 5 };

struct cell {
    float speeds[SPEEDS];
};

static void propagate(const struct cell *cells, struct cell *moved, int nx, int ny)
{
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            int north = (y + 1) % ny, east = (x + 1) % nx;
            int south = y == 0 ? y + ny - 1 : y - 1, west = x == 0 ? x + nx - 1 : x - 1;
            moved[y * nx + x].speeds[0] = cells[y * nx + x].speeds[0];
            moved[y * nx + x].speeds[1] = cells[y * nx + west].speeds[1];
            moved[y * nx + x].speeds[2] = cells[south * nx + x].speeds[2];
            moved[y * nx + x].speeds[3] = cells[y * nx + east].speeds[3];
            moved[y * nx + x].speeds[4] = cells[north * nx + x].speeds[4];
        }
}

static void collide(struct cell *cells, const struct cell *moved, const int *obstacles, int nx, int ny)
{
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const struct cell *from = &moved[y * nx + x];
            struct cell *to = &cells[y * nx + x];
            if (obstacles[y * nx + x]) {
                to->speeds[1] = from->speeds[3];
                to->speeds[2] = from->speeds[4];
                to->speeds[3] = from->speeds[1];
                to->speeds[4] = from->speeds[2];
            } else {
                float density = 0.0f;
                for (int k = 0; k < SPEEDS; k++)
                    density += from->speeds[k];
                for (int k = 0; k < SPEEDS; k++)
                    to->speeds[k] = from->speeds[k] + 0.75f * (0.2f * density - from->speeds[k]);
            }
        }
}

static float average(const struct cell *cells, const int *obstacles, int nx, int ny)
{
    float sum = 0.0f;
    int count = 0;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            if (!obstacles[y * nx + x]) {
                const float *s = cells[y * nx + x].speeds;
                float density = 1.0f + s[0] * s[0];
                float u = (s[1] - s[3]) / density, v = (s[2] - s[4]) / density;
                sum += u * u + v * v;
                ++count;
            }
    return sum / (float)count;
}

void flow(struct cell *cells, struct cell *moved, const int *obstacles, float *averages, int nx, int ny, int steps)
{
    for (int t = 0; t < steps; t++) {
        propagate(cells, moved, nx, ny);
        collide(cells, moved, obstacles, nx, ny);
        averages[t] = average(cells, obstacles, nx, ny);
    }
}

int main(int argc, char **argv)
{
    struct corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        size_t points = corpus_points(c.nx, c.ny, 1);
        float *cells = corpus_floats("cells", SPEEDS * points);
        float *moved = corpus_floats("moved", SPEEDS * points);
        float *averages = corpus_floats("averages", corpus_points(c.steps, 1, 1));
        int *obstacles = malloc(points * sizeof *obstacles);
        for (size_t i = 0; i < points; i++)
            obstacles[i] = i % 7 == 3;
        flow((struct cell *)cells, (struct cell *)moved, obstacles, averages, c.ny, c.nx, c.steps);
        free(obstacles);
        corpus_end();
    }
    return 0;
}
