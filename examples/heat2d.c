/*
 * Heat on a square plate.
 *
 * The plate's border is held at fixed temperatures; inside, heat spreads from a
 * few hot and cold bodies. Explicit time stepping, five points.
 *
 *     cc -O3 heat2d.c -o heat2d -lm
 *     ./heat2d [size [steps [image.png]]]
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALPHA 0.2f

/* Advances the plate by some steps. *u and *v change roles after each. */
void heat(float **plate, float **scratch, int n, int steps)
{
    float *u = *plate;
    float *v = *scratch;

    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                v[i * n + j] = u[i * n + j] + ALPHA * (u[(i - 1) * n + j] + u[(i + 1) * n + j] +
                                                       u[i * n + j - 1] + u[i * n + j + 1] -
                                                       4.0f * u[i * n + j]);
        float *tmp = u;
        u = v;
        v = tmp;
    }
    *plate = u;
    *scratch = v;
}

static float initial(float x, float y)
{
    float dx = x - 0.32f, dy = y - 0.36f;
    float ring = sqrtf((x - 0.66f) * (x - 0.66f) + (y - 0.62f) * (y - 0.62f));

    if (y < 0.002f)
        return 1.0f; /* the hot edge */
    if (dx * dx + dy * dy < 0.013f)
        return 1.0f; /* a hot disc */
    if (ring > 0.14f && ring < 0.17f)
        return 0.9f; /* a warm ring */
    if (fabsf(x - 0.66f) < 0.05f && fabsf(y - 0.62f) < 0.05f)
        return 0.7f; /* a block inside it */
    if (fabsf(sinf(40.0f * x)) > 0.8f && y > 0.84f && y < 0.92f)
        return 0.8f; /* a row of bars */
    return 0.1f;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* FNV-1a over every bit of an array, four bytes at a time. */
static uint64_t fingerprint(uint64_t hash, const float *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

/* --- the picture: PNG with stored (uncompressed) blocks --- */

static uint32_t crc_of(uint32_t crc, const unsigned char *p, size_t n)
{
    crc = ~crc;
    while (n--) {
        crc ^= *p++;
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static void put32(unsigned char *p, uint32_t x)
{
    p[0] = (unsigned char)(x >> 24);
    p[1] = (unsigned char)(x >> 16);
    p[2] = (unsigned char)(x >> 8);
    p[3] = (unsigned char)x;
}

/* `data` starts with the four letters of the chunk's type. */
static void chunk(FILE *file, const unsigned char *data, size_t length)
{
    unsigned char word[4];

    put32(word, (uint32_t)(length - 4));
    fwrite(word, 1, 4, file);
    fwrite(data, 1, length, file);
    put32(word, crc_of(0, data, length));
    fwrite(word, 1, 4, file);
}

static void colour(float x, unsigned char *rgb)
{
    static const float map[][3] = {{0, 0, 4},      {40, 11, 84},   {101, 21, 110}, {159, 42, 99},
                                   {212, 72, 66},  {245, 125, 21}, {250, 193, 39}, {252, 255, 164}};
    float scaled = fminf(fmaxf(x, 0.0f), 1.0f) * 6.999f;
    int k = (int)scaled;

    for (int c = 0; c < 3; c++)
        rgb[c] = (unsigned char)(map[k][c] + (scaled - (float)k) * (map[k + 1][c] - map[k][c]));
}

static float mean(const float *u, int n, int row, int col, int block)
{
    double sum = 0.0;

    for (int i = 0; i < block; i++)
        for (int j = 0; j < block; j++)
            sum += u[(size_t)(row * block + i) * n + col * block + j];
    return (float)(sum / ((double)block * block));
}

static int write_png(const char *path, const float *u, int n)
{
    int block = n > 1024 ? n / 1024 : 1;
    int width = n / block;
    size_t line = 1 + 3 * (size_t)width;
    size_t rows = 60000 / line ? 60000 / line : 1; /* lines in a stored block */
    size_t blocks = ((size_t)width + rows - 1) / rows;
    unsigned char *data = calloc(1, 4 + 2 + blocks * 5 + line * (size_t)width + 4);
    unsigned char header[17] = "IHDR";
    FILE *file = fopen(path, "wb");

    if (!data || !file) {
        free(data);
        if (file)
            fclose(file);
        return -1;
    }
    unsigned char *p = data;
    uint32_t a = 1, b = 0; /* Adler-32 */
    memcpy(p, "IDAT\x78\x01", 6);
    p += 6;
    for (int row = 0; row < width; row++) {
        if ((size_t)row % rows == 0) {
            size_t left = (size_t)(width - row) < rows ? (size_t)(width - row) : rows;
            size_t bytes = left * line;
            *p++ = left == (size_t)(width - row);
            *p++ = (unsigned char)bytes;
            *p++ = (unsigned char)(bytes >> 8);
            *p++ = (unsigned char)~bytes;
            *p++ = (unsigned char)(~bytes >> 8);
        }
        unsigned char *start = p;
        *p++ = 0; /* no filter */
        for (int col = 0; col < width; col++, p += 3)
            colour(mean(u, n, row, col, block), p);
        for (; start < p; start++) {
            a = (a + *start) % 65521;
            b = (b + a) % 65521;
        }
    }
    put32(p, b << 16 | a);
    p += 4;

    put32(header + 4, (uint32_t)width);
    put32(header + 8, (uint32_t)width);
    memcpy(header + 12, "\x08\x02\0\0\0", 5); /* eight bits, RGB */
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
    chunk(file, header, sizeof header);
    chunk(file, data, (size_t)(p - data));
    chunk(file, (const unsigned char *)"IEND", 4);
    free(data);
    return fclose(file);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    int steps = argc > 2 ? atoi(argv[2]) : 1000;
    const char *image = argc > 3 ? argv[3] : "heat2d.png";
    const int batches = 10;

    if (n < 3 || n > 32768 || steps < 0) {
        fprintf(stderr, "usage: %s [size [steps [image.png]]]\n", argv[0]);
        return 2;
    }
    size_t points = (size_t)n * n;
    float *u = malloc(points * sizeof *u);
    float *v = malloc(points * sizeof *v);
    if (!u || !v) {
        fprintf(stderr, "%s: not enough memory for %d x %d points\n", argv[0], n, n);
        return 1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            u[(size_t)i * n + j] = initial((float)j / (float)n, (float)i / (float)n);
    memcpy(v, u, points * sizeof *v);

    double busy = 0.0;
    for (int k = 0; k < batches; k++) {
        int some = (int)((long)steps * (k + 1) / batches - (long)steps * k / batches);
        double start = seconds();
        heat(&u, &v, n, some);
        busy += seconds() - start;
        fprintf(stderr, "\r%3d %%", 100 * (k + 1) / batches);
        fflush(stderr);
    }
    fprintf(stderr, "\n");

    uint64_t hash = fingerprint(fingerprint(14695981039346656037u, u, points), v, points);
    printf("size      %d x %d, %d steps\n", n, n, steps);
    printf("seconds   %.3f\n", busy);
    printf("GStencil/s %.3f\n", (double)(n - 2) * (double)(n - 2) * steps / busy * 1e-9);
    printf("memory    %016llx\n", (unsigned long long)hash);

    if (write_png(image, u, n)) {
        perror(image);
        return 1;
    }
    free(u);
    free(v);
    return 0;
}
