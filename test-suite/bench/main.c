/*
 * Runs a benchmark's kernel as the stock compiler built it and as ours did.
 *
 *     program check SIZES STEPS               both on equal memory: the same memory afterwards?
 *     program pair  SIZES STEPS RUNS          both, in turns, timed; compared after each turn
 *     program stock SIZES STEPS RUNS          the stock compiler's, timed
 *     program tiled SIZES STEPS RUNS SECONDS  ours: once to warm up, then timed RUNS times, or
 *                                             fewer once SECONDS are over, but twice at least
 *     program dump  SIZES STEPS FILE          ours: writes memory to a file ("-": only its hash)
 *
 * SIZES is n, nxm or nxmxl. One JSON object goes to stdout. Memory starts from
 * varied values and both time levels start alike, so that borders stay as they
 * are. Exit status: 0, 1 if memory differs, 2 for anything else.
 */
#define _POSIX_C_SOURCE 199309L
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if FIELDS
enum { LEVELS = 1, ARRAYS = FIELDS };
#else
enum { LEVELS = 2, ARRAYS = 1 };
#endif

/* The bits of a number. */
#if REAL_IS_DOUBLE
typedef uint64_t bits;
static const bits nan_above = 0x7ff0000000000000;
#else
typedef uint32_t bits;
static const bits nan_above = 0x7f800000;
#endif

struct problem {
    int n, m, l, steps;
    size_t points; /* of one time level of one array */
};

struct memory {
    REAL *array[ARRAYS];
};

static void fail(const char *message)
{
    fprintf(stderr, "bench: %s\n", message);
    exit(2);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Between 0.1 and 1.1, a mix of the element's number. */
static REAL varied(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    x ^= x >> 16;
    return R(0.1) + (REAL)(x >> 8) * R(1.0 / 16777216);
}

static void fill(const struct problem *p, struct memory *memory)
{
    for (int k = 0; k < ARRAYS; k++) {
        REAL *a = memory->array[k];
        for (size_t i = 0; i < p->points; i++)
            a[i] = varied((uint32_t)i + 77777u * (uint32_t)k);
        if (LEVELS == 2)
            memcpy(a + p->points, a, p->points * sizeof *a);
    }
}

static struct memory allocate(const struct problem *p)
{
    struct memory memory;
    for (int k = 0; k < ARRAYS; k++) {
        memory.array[k] = malloc(LEVELS * p->points * sizeof(REAL));
        if (!memory.array[k])
            fail("not enough memory");
    }
    fill(p, &memory);
    return memory;
}

#if FIELDS
#define RUN(kernel) kernel(p->n, p->m, p->steps, (void *)a[0], (void *)a[1], (void *)a[2])
#elif DIMS == 1
#define RUN(kernel) kernel(p->n, p->steps, a[0], a[0] + p->points)
#elif DIMS == 2
#define RUN(kernel) kernel(p->n, p->m, p->steps, (void *)a[0])
#else
#define RUN(kernel) kernel(p->n, p->m, p->l, p->steps, (void *)a[0])
#endif

enum who { STOCK, TILED };

/* Seconds of one call. */
static double run(enum who who, const struct problem *p, struct memory *memory)
{
    REAL **a = memory->array;
    double start = now();
    if (who == STOCK)
        RUN(kernel_stock);
    else
        RUN(kernel_tiled);
    return now() - start;
}

static bits bits_of(REAL x)
{
    bits b;
    memcpy(&b, &x, sizeof b);
    /* Any NaN is as good as any other. */
    return (b & ~((bits)1 << (8 * sizeof b - 1))) > nan_above ? nan_above + 1 : b;
}

/*
 * As it should be: bit for bit, or with -ffast-math to three digits, but for one element in a
 * million: where neighbours are alike a step of gradients makes much of a rounding.
 */
static int same(REAL is, REAL should_be)
{
    if (bits_of(is) == bits_of(should_be))
        return 1;
    double difference = fabs((double)is - (double)should_be);
    return FAST && difference <= 1e-3 * fabs((double)should_be);
}

/* Prints `"same":…` and what differs first; true if nothing does. */
static int compare(const struct problem *p, const struct memory *stock, const struct memory *tiled)
{
    size_t total = LEVELS * p->points, differ = 0, first = 0;
    size_t allowed = FAST ? total / 1000000 : 0;
    int where = 0;
    for (int k = 0; k < ARRAYS; k++) {
        const REAL *s = stock->array[k], *t = tiled->array[k];
        for (size_t i = 0; i < total; i++)
            if (!same(t[i], s[i]) && differ++ == 0) {
                where = k;
                first = i;
            }
    }
    printf("\"same\":%s", differ > allowed ? "false" : "true");
    if (differ > allowed)
        printf(",\"difference\":\"array %d, element %zu of level %zu (%zu elements differ) is %.17g, "
               "should be %.17g\"",
               where, first % p->points, first / p->points, differ,
               (double)tiled->array[where][first], (double)stock->array[where][first]);
    return differ <= allowed;
}

/* Called once the kernels have run: a runtime that ends the program leaves no half an object behind. */
static void begin(void)
{
    printf("{");
}

static uint64_t hash(const struct problem *p, const struct memory *memory)
{
    uint64_t h = 14695981039346656037u;
    for (int k = 0; k < ARRAYS; k++)
        for (size_t i = 0; i < LEVELS * p->points; i++)
            h = (h ^ bits_of(memory->array[k][i])) * 1099511628211u;
    return h;
}

static void print_times(const char *name, int count, const double *seconds)
{
    printf("\"%s\":[", name);
    for (int i = 0; i < count; i++)
        printf("%s%.9g", i ? "," : "", seconds[i]);
    printf("]");
}

static int check(const struct problem *p)
{
    struct memory stock = allocate(p), tiled = allocate(p);
    run(TILED, p, &tiled);
    run(STOCK, p, &stock);
    begin();
    return compare(p, &stock, &tiled);
}

static int pair(const struct problem *p, int runs)
{
    struct memory memory[2] = {allocate(p), allocate(p)};
    double *seconds[2] = {calloc((size_t)runs, sizeof(double)), calloc((size_t)runs, sizeof(double))};
    int same = 1;
    for (int i = 0; i < runs; i++) {
        for (int who = STOCK; who <= TILED; who++)
            seconds[who][i] = run((enum who)who, p, &memory[who]);
        if (i == 0) {
            begin();
            printf("\"turns\":[");
        }
        printf("%s{", i ? "," : "");
        same &= compare(p, &memory[STOCK], &memory[TILED]);
        printf("}");
    }
    printf("],");
    print_times("stock", runs, seconds[STOCK]);
    printf(",");
    print_times("tiled", runs, seconds[TILED]);
    return same;
}

static void stock(const struct problem *p, int runs)
{
    struct memory memory = allocate(p);
    double *seconds = calloc((size_t)runs, sizeof(double));
    for (int i = 0; i < runs; i++)
        seconds[i] = run(STOCK, p, &memory);
    begin();
    print_times("stock", runs, seconds);
}

static void tiled(const struct problem *p, int runs, double limit)
{
    struct memory memory = allocate(p);
    double *seconds = calloc((size_t)runs, sizeof(double));
    double start = now();
    double warm_up = run(TILED, p, &memory);
    int done = 0;
    while (done < runs && (done < 2 || now() - start < limit))
        seconds[done++] = run(TILED, p, &memory);
    begin();
    printf("\"warm_up\":%.9g,", warm_up);
    print_times("tiled", done, seconds);
}

static void dump(const struct problem *p, const char *path)
{
    struct memory memory = allocate(p);
    run(TILED, p, &memory);
    begin();
    printf("\"hash\":\"%016llx\"", (unsigned long long)hash(p, &memory));
    if (!strcmp(path, "-"))
        return;
    FILE *file = fopen(path, "wb");
    for (int k = 0; file && k < ARRAYS; k++)
        fwrite(memory.array[k], sizeof(REAL), LEVELS * p->points, file);
    if (!file || ferror(file) || fclose(file))
        fail("the file can't be written");
}

static struct problem parse(const char *sizes, const char *steps)
{
    struct problem p = {1, 1, 1, atoi(steps), 0};
    if (sscanf(sizes, "%dx%dx%d", &p.n, &p.m, &p.l) != DIMS || p.n < 1 || p.m < 1 || p.l < 1)
        fail("SIZES is n, nxm or nxmxl, as many as the program has dimensions");
    p.points = (size_t)p.n * (size_t)p.m * (size_t)p.l;
    return p;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        fail("see main.c for how to call this");
    struct problem p = parse(argv[2], argv[3]);
    const char *verb = argv[1];
    int runs = argc > 4 ? atoi(argv[4]) : 1;
    int same = 1;
    if (runs < 1)
        runs = 1;
    if (!strcmp(verb, "check"))
        same = check(&p);
    else if (!strcmp(verb, "pair"))
        same = pair(&p, runs);
    else if (!strcmp(verb, "stock"))
        stock(&p, runs);
    else if (!strcmp(verb, "tiled"))
        tiled(&p, runs, argc > 5 ? atof(argv[5]) : 1e9);
    else if (!strcmp(verb, "dump"))
        dump(&p, argc > 4 ? argv[4] : "-");
    else
        fail("no such verb");
    printf("}\n");
    return same ? 0 : 1;
}
