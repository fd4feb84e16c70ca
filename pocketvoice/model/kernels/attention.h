/* Attention of new positions over a cache of keys and values, one head at a time. */
#pragma once
#include <math.h>
#include <string.h>
#include "vectors.h"

/* Where keys and values lie: (layers, 2, kv_heads, capacity, head_dim); rotations (positions, head_dim) are cosine, sine pairs. */
typedef struct {
    float *keys_values;
    int64_t capacity;
    const float *rotations;
} pv_cache;

typedef struct {
    int64_t heads, kv_heads, dim; /* dim: numbers a head */
    int64_t position;             /* of the first new position */
    int64_t index;                /* its place in the cache, which may have forgotten the beginning */
    int64_t context;              /* how many positions a new one sees, itself among them; 0 is all */
    int64_t rows;                 /* new positions */
    int is_blind;                 /* they are only remembered, and look at nothing */
    const pv_cache *cache;
    float *keys, *values; /* (kv_heads, capacity, dim), of this layer */
    const float *projected; /* (rows, heads + 2 kv_heads, dim) */
    float *scores;          /* of a head: as many as it sees, and 16 */
    int64_t scores_apart;   /* those of one head from those of the next */
    float *out;             /* (rows, heads, dim) */
} attention;

static void rotate(const float *x, const float *rotation, int64_t dim, float scale, float *y) {
    for (int64_t i = 0; i < dim; i += 2) {
        const float re = x[i], im = x[i + 1], c = rotation[i] * scale, s = rotation[i + 1] * scale;
        y[i] = re * c - im * s;
        y[i + 1] = re * s + im * c;
    }
}

/* One query over `length` keys and values; V vectors a head. */
INLINE void attend(const float *query, const float *keys, const float *values, int64_t length, float *scores, float *out, const int V) {
    vf q[128 / VL], sum[128 / VL], other[128 / VL];
#pragma GCC unroll 8
    for (int i = 0; i < V; i++) q[i] = vload(query + i * VL);
    float largest = -INFINITY;
    for (int64_t t = 0; t < length; t++) {
        const float *key = keys + t * V * VL;
        vf a = vmul(q[0], vload(key));
#pragma GCC unroll 8
        for (int i = 1; i < V; i++) a = vfma(q[i], vload(key + i * VL), a);
        const float score = vsum(a);
        scores[t] = score;
        largest = fmaxf(largest, score);
    }
    for (int64_t t = length; t % VL; t++) scores[t] = -INFINITY; /* the buffer is a multiple of VL long */
    vf total = vset(0);
    for (int64_t t = 0; t < length; t += VL) {
        vf e = vexp(vsub(vload(scores + t), vset(largest)));
        if (t + VL > length) {
            vstore(scores + t, e);
            for (int64_t u = length; u % VL; u++) scores[u] = 0;
            e = vload(scores + t);
        } else vstore(scores + t, e);
        total = vadd(total, e);
    }
#pragma GCC unroll 8
    for (int i = 0; i < V; i++) sum[i] = other[i] = vset(0);
    int64_t t = 0;
    for (; t + 2 <= length; t += 2) {
        const float *value = values + t * V * VL;
        const vf a = vset(scores[t]), b = vset(scores[t + 1]);
#pragma GCC unroll 8
        for (int i = 0; i < V; i++) {
            sum[i] = vfma(a, vload(value + i * VL), sum[i]);
            other[i] = vfma(b, vload(value + (V + i) * VL), other[i]);
        }
    }
    if (t < length) {
        const vf a = vset(scores[t]);
#pragma GCC unroll 8
        for (int i = 0; i < V; i++) sum[i] = vfma(a, vload(values + (t * V + i) * VL), sum[i]);
    }
    const vf factor = vset(1.0f / vsum(total));
#pragma GCC unroll 8
    for (int i = 0; i < V; i++) vstore(out + i * VL, vmul(vadd(sum[i], other[i]), factor));
}

/* The new positions of one head of keys and values, then the queries that look at it. */
static void attention_chunk(void *argument, int64_t kv_head) {
    const attention *a = argument;
    const int64_t dim = a->dim, group = a->heads / a->kv_heads, all = (a->heads + 2 * a->kv_heads) * dim;
    const float *rotations = a->cache->rotations + a->position * dim;
    float *keys = a->keys + kv_head * a->cache->capacity * dim, *values = a->values + kv_head * a->cache->capacity * dim;
    for (int64_t n = 0; n < a->rows; n++) {
        const float *key = a->projected + n * all + (a->heads + kv_head) * dim;
        rotate(key, rotations + n * dim, dim, 1.0f, keys + (a->index + n) * dim);
        memcpy(values + (a->index + n) * dim, key + a->kv_heads * dim, sizeof(float) * (size_t)dim);
    }
    if (a->is_blind) return;
    const float scale = 1.0f / sqrtf((float)dim);
    float *scores = a->scores + kv_head * a->scores_apart;
    for (int64_t n = 0; n < a->rows; n++) {
        const int64_t end = a->index + n + 1;
        const int64_t begin = a->context && end > a->context ? end - a->context : 0;
        const float *k = keys + begin * dim, *v = values + begin * dim;
        for (int64_t head = kv_head * group; head < (kv_head + 1) * group; head++) {
            float query[128], *out = a->out + (n * a->heads + head) * dim;
            rotate(a->projected + n * all + head * dim, rotations + n * dim, dim, scale, query);
            if (dim == 64) attend(query, k, v, end - begin, scores, out, 64 / VL);
            else if (dim == 32) attend(query, k, v, end - begin, scores, out, 32 / VL);
            else if (dim == 16) attend(query, k, v, end - begin, scores, out, 16 / VL);
            else attend(query, k, v, end - begin, scores, out, 128 / VL);
        }
    }
}
