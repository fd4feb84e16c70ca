/* Lays out arrays one behind the other in a piece of memory that the caller owns; the kernels allocate nothing. */
#pragma once
#include <stdint.h>

#define CACHE_LINE 64 /* bytes; an array begins with one, so that no vector of it lies in two */

typedef struct {
    char *base;   /* null: nothing is laid out, only `used` is wanted */
    int64_t used; /* bytes */
} arena;

typedef struct {
    void *bytes;
    int64_t size;
} pv_memory; /* the caller's */

static int64_t largest(int64_t a, int64_t b) { return a > b ? a : b; }

static void *take_bytes(arena *from, int64_t bytes) {
    void *piece = from->base ? from->base + from->used : 0;
    from->used += (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return piece;
}

/* Points `pointer` at an array of `count` elements of its own type. */
#define TAKE(from, pointer, count) ((pointer) = take_bytes(from, (int64_t)(count) * (int64_t)sizeof(*(pointer))))

static arena arena_in(void *memory) { return (arena){(char *)(((uintptr_t)memory + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE), 0}; }

/* What the caller must allocate for it: its memory may begin anywhere in a line. */
static int64_t bytes_of(const arena *laid_out) { return laid_out->used + CACHE_LINE; }
