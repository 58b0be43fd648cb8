/*
 * What every program of the corpus shares: reading its cases from the command
 * line, filling memory, and writing all of it out afterwards.
 *
 *     program 40:7 40x30:7 16x17x18:3        size[xsize[xsize]]:steps ...
 *
 * Each array lies between two guards; array, halo and guards start from varied
 * values, zeros of both signs and denormals among them. After each case
 * everything goes to the file named by CORPUS_OUT, or into a hash on stdout.
 * The file is a sequence of records in the machine's byte order:
 *
 *     'C' int32 nx ny nz steps                                  a case begins
 *     'A' uint32 length, name, type 'f', 'd', 'i' or 'b',
 *         uint64 guard, uint64 count, count + 2*guard elements  an array
 *     'V' uint32 length, name, int64                            a scalar
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORPUS_HELPER static __attribute__((noinline, unused))

/* Under a sanitizer its own red zones guard the arrays. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CORPUS_GUARD 0
#endif
#endif
#ifndef CORPUS_GUARD
#define CORPUS_GUARD 61
#endif

enum { CORPUS_MAX = 16 };

struct corpus_case {
    int nx, ny, nz, steps;
};

struct corpus_item {
    const char *name;
    char type; /* 'f', 'd', 'i' (int), 'b' (bytes); 'V' for a scalar */
    size_t guard, count;
    void *memory; /* from the first guard on */
    int owned;
    int64_t value;
};

static struct corpus_item corpus_items[CORPUS_MAX];
static int corpus_used;
static int corpus_done;
static uint64_t corpus_state;
static struct corpus_case corpus_now;

/* The next case of the command line, until there is none. */
CORPUS_HELPER int corpus_next(struct corpus_case *c, int argc, char **argv)
{
    if (corpus_done + 1 >= argc)
        return 0;
    char *p = argv[++corpus_done];
    c->nx = c->ny = c->nz = (int)strtol(p, &p, 10);
    if (*p == 'x')
        c->ny = c->nz = (int)strtol(p + 1, &p, 10);
    if (*p == 'x')
        c->nz = (int)strtol(p + 1, &p, 10);
    c->steps = 1;
    if (*p == ':')
        c->steps = (int)strtol(p + 1, &p, 10);
    if (*p) {
        fprintf(stderr, "%s: not a case, write size[xsize[xsize]]:steps\n", argv[corpus_done]);
        exit(2);
    }
    corpus_now = *c;
    corpus_state = 88172645463325252u + (uint64_t)corpus_done;
    return 1;
}

/* Grid points; none if a size is negative. */
CORPUS_HELPER size_t corpus_points(long nx, long ny, long nz)
{
    return nx <= 0 || ny <= 0 || nz <= 0 ? 0 : (size_t)nx * (size_t)ny * (size_t)nz;
}

CORPUS_HELPER double corpus_random(double denormal)
{
    corpus_state = corpus_state * 6364136223846793005u + 1442695040888963407u;
    uint32_t bits = (uint32_t)(corpus_state >> 32);
    double sign = bits & 1 ? -1.0 : 1.0;
    switch (bits >> 1 & 127) {
    case 0:
        return sign * 0.0;
    case 1:
        return sign * denormal * (double)(bits >> 24);
    case 2:
        return sign * 1e-9 * (double)(bits >> 8);
    case 3:
        return sign * 100.0 * (double)(bits >> 8) / 16777216.0;
    default:
        return sign * (double)(bits >> 8) / 16777216.0;
    }
}

CORPUS_HELPER struct corpus_item *corpus_item(const char *name, char type)
{
    if (corpus_used == CORPUS_MAX)
        abort();
    struct corpus_item *item = &corpus_items[corpus_used++];
    memset(item, 0, sizeof *item);
    item->name = name;
    item->type = type;
    return item;
}

CORPUS_HELPER size_t corpus_size(char type)
{
    return type == 'b' ? 1 : type == 'd' ? sizeof(double) : sizeof(float);
}

CORPUS_HELPER size_t corpus_bytes(const struct corpus_item *item)
{
    return (item->count + 2 * item->guard) * corpus_size(item->type);
}

CORPUS_HELPER void corpus_fill(struct corpus_item *item)
{
    size_t total = item->count + 2 * item->guard;
    for (size_t i = 0; i < total; i++) {
        if (item->type == 'f')
            ((float *)item->memory)[i] = (float)corpus_random(1e-44);
        else if (item->type == 'i')
            ((int32_t *)item->memory)[i] = (int32_t)(corpus_random(0) * 4096.0);
        else if (item->type == 'b')
            ((uint8_t *)item->memory)[i] = (uint8_t)(int)(corpus_random(0) * 256.0);
        else
            ((double *)item->memory)[i] = corpus_random(5e-323);
    }
}

CORPUS_HELPER void *corpus_array(const char *name, char type, size_t count)
{
    struct corpus_item *item = corpus_item(name, type);
    item->count = count;
    /* Guards of different lengths, so that no two arrays are aligned alike. */
    item->guard = CORPUS_GUARD ? CORPUS_GUARD + (size_t)corpus_used : 0;
    item->memory = malloc(corpus_bytes(item) + 1);
    item->owned = 1;
    if (!item->memory) {
        perror(name);
        exit(2);
    }
    corpus_fill(item);
    return (char *)item->memory + item->guard * corpus_size(type);
}

CORPUS_HELPER double *corpus_doubles(const char *name, size_t count)
{
    return (double *)corpus_array(name, 'd', count);
}

CORPUS_HELPER float *corpus_floats(const char *name, size_t count)
{
    return (float *)corpus_array(name, 'f', count);
}

CORPUS_HELPER int *corpus_ints(const char *name, size_t count)
{
    return (int *)corpus_array(name, 'i', count);
}

CORPUS_HELPER uint8_t *corpus_octets(const char *name, size_t count)
{
    return (uint8_t *)corpus_array(name, 'b', count);
}

/* An array of the program's own: filled now, written out at the end. */
CORPUS_HELPER void corpus_own(const char *name, char type, void *memory, size_t bytes)
{
    struct corpus_item *item = corpus_item(name, type);
    item->count = bytes / corpus_size(type);
    item->memory = memory;
    corpus_fill(item);
}

/* A scalar that the program may still read. */
CORPUS_HELPER void corpus_value(const char *name, int64_t value)
{
    corpus_item(name, 'V')->value = value;
}

/* All NaNs hash alike. */
CORPUS_HELPER uint64_t corpus_hash(void)
{
    uint64_t hash = 14695981039346656037u;
    for (int k = 0; k < corpus_used; k++) {
        const struct corpus_item *item = &corpus_items[k];
        size_t total = item->type == 'V' ? 1 : item->count + 2 * item->guard;
        for (size_t i = 0; i < total; i++) {
            uint64_t bits = 0;
            if (item->type == 'V') {
                bits = (uint64_t)item->value;
            } else if (item->type == 'b') {
                bits = ((uint8_t *)item->memory)[i];
            } else if (item->type == 'i') {
                bits = ((uint32_t *)item->memory)[i];
            } else if (item->type == 'f') {
                float x = ((float *)item->memory)[i];
                memcpy(&bits, &x, sizeof x);
                if ((bits & 0x7fffffff) > 0x7f800000)
                    bits = 0x7fc00000;
            } else {
                double x = ((double *)item->memory)[i];
                memcpy(&bits, &x, sizeof x);
                if ((bits & 0x7fffffffffffffff) > 0x7ff0000000000000)
                    bits = 0x7ff8000000000000;
            }
            for (int b = 0; b < 8; b++)
                hash = (hash ^ (bits >> 8 * b & 255)) * 1099511628211u;
        }
    }
    return hash;
}

CORPUS_HELPER void corpus_write_name(FILE *file, char kind, const char *name)
{
    uint32_t length = (uint32_t)strlen(name);
    fputc(kind, file);
    fwrite(&length, sizeof length, 1, file);
    fwrite(name, 1, length, file);
}

CORPUS_HELPER void corpus_write(FILE *file)
{
    int32_t head[4] = {corpus_now.nx, corpus_now.ny, corpus_now.nz, corpus_now.steps};
    fputc('C', file);
    fwrite(head, sizeof head, 1, file);
    for (int k = 0; k < corpus_used; k++) {
        const struct corpus_item *item = &corpus_items[k];
        if (item->type == 'V') {
            corpus_write_name(file, 'V', item->name);
            fwrite(&item->value, sizeof item->value, 1, file);
        } else {
            uint64_t lengths[2] = {item->guard, item->count};
            corpus_write_name(file, 'A', item->name);
            fputc(item->type, file);
            fwrite(lengths, sizeof lengths, 1, file);
            fwrite(item->memory, 1, corpus_bytes(item), file);
        }
    }
}

/* Ends a case: everything is written out, the arrays are freed. */
CORPUS_HELPER void corpus_end(void)
{
    const char *path = getenv("CORPUS_OUT");
    if (path) {
        FILE *file = fopen(path, corpus_done == 1 ? "wb" : "ab");
        if (!file) {
            perror(path);
            exit(2);
        }
        corpus_write(file);
        if (fclose(file)) {
            perror(path);
            exit(2);
        }
    } else {
        printf("%dx%dx%d:%d %016llx\n", corpus_now.nx, corpus_now.ny, corpus_now.nz,
               corpus_now.steps, (unsigned long long)corpus_hash());
    }
    for (int k = 0; k < corpus_used; k++)
        if (corpus_items[k].owned)
            free(corpus_items[k].memory);
    corpus_used = 0;
}

#endif
