// Neighbours beyond the border are the border itself: std::max and std::min keep the subscripts inside.
#include "../c/corpus.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace {

struct Image {
    int height, width;
    std::vector<float> pixels;

    float at(int i, int j) const
    {
        i = std::max(0, std::min(i, height - 1));
        j = std::max(0, std::min(j, width - 1));
        return pixels[i * width + j];
    }
};

} // namespace

void smooth(Image &now, Image &next, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < now.height; i++)
            for (int j = 0; j < now.width; j++)
                next.pixels[i * now.width + j] = 0.2f * (now.at(i, j) + now.at(i - 1, j) + now.at(i + 1, j) +
                                                         now.at(i, j - 1) + now.at(i, j + 1));
        std::swap(now.pixels, next.pixels);
    }
}

int main(int argc, char **argv)
{
    corpus_case c;
    while (corpus_next(&c, argc, argv)) {
        std::size_t points = corpus_points(c.nx, c.ny, 1);
        float *u = corpus_floats("u", points), *v = corpus_floats("v", points);
        Image now{c.nx, c.ny, {u, u + points}}, next{c.nx, c.ny, {v, v + points}};
        smooth(now, next, c.steps);
        std::copy(now.pixels.begin(), now.pixels.end(), u);
        std::copy(next.pixels.begin(), next.pixels.end(), v);
        corpus_end();
    }
    return 0;
}
