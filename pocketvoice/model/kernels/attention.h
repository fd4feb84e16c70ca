/* Attention of new positions over a cache of keys and values, one head at a time. */
#pragma once
#include <math.h>
#include <string.h>
#include "vectors.h"

#define MAX_HEAD_DIM 128
#define SCORES_PADDING 16 /* floats: the last vector of scores is read and written whole */

typedef struct {
    float *keys_values; /* (layers, 2, kv_heads, capacity, head_dim) */
    int64_t capacity;   /* positions */
    const float *rotations; /* (positions, head_dim): cosine and sine of each pair of numbers */
    int64_t keys_values_size, rotation_rows; /* what there is at these addresses: numbers, positions */
} pv_cache;

typedef struct {
    int64_t num_heads, num_kv_heads, head_dim;
    int64_t position;       /* of the first new row, since the beginning */
    int64_t cache_index;    /* where it goes in the cache, which may have forgotten the beginning */
    int64_t context;        /* how many positions a new one sees, itself among them; 0: all */
    int64_t rows;           /* new positions */
    int only_stores;        /* keys and values are stored, and no query looks at them */
    const pv_cache *cache;
    float *keys, *values;   /* (kv_heads, capacity, head_dim), of this layer */
    const float *projected; /* (rows, heads + 2 kv_heads, head_dim): queries, keys, values */
    float *scores;          /* (context or capacity + SCORES_PADDING,) of each head of keys */
    int64_t scores_stride;  /* between two heads of keys; 0 where they take turns */
    float *out;             /* (rows, heads, head_dim) */
} attention;

/* RoPE of one head: each pair of numbers, as a complex one, times its rotation, times `scale`. */
static void rotate(const float *x, const float *rotation, int64_t head_dim, float scale, float *y) {
    for (int64_t i = 0; i < head_dim; i += 2) {
        const float real = x[i], imaginary = x[i + 1], cosine = rotation[i] * scale, sine = rotation[i + 1] * scale;
        y[i] = real * cosine - imaginary * sine;
        y[i + 1] = real * sine + imaginary * cosine;
    }
}

/* One query, scaled already, over `length` keys and values; V vectors a head, a constant at each call. */
INLINE void attend(const float *query, const float *keys, const float *values, int64_t length, float *scores, float *out, const int V) {
    vf q[MAX_HEAD_DIM / VL], even[MAX_HEAD_DIM / VL], odd[MAX_HEAD_DIM / VL]; /* two sums hide the latency of each */
#pragma GCC unroll 8
    for (int i = 0; i < V; i++) q[i] = vload(query + i * VL);
    float largest = -INFINITY;
    for (int64_t t = 0; t < length; t++) {
        const float *key = keys + t * V * VL;
        vf product = vmul(q[0], vload(key));
#pragma GCC unroll 8
        for (int i = 1; i < V; i++) product = vfma(q[i], vload(key + i * VL), product);
        const float score = vsum(product);
        scores[t] = score;
        largest = fmaxf(largest, score);
    }
    for (int64_t t = length; t % VL; t++) scores[t] = -INFINITY; /* there is SCORES_PADDING behind them */
    vf total = vset(0);
    for (int64_t t = 0; t < length; t += VL) {
        vf e = vexp(vsub(vload(scores + t), vset(largest)));
        if (t + VL > length) {
            vstore(scores + t, e);
            for (int64_t u = length; u % VL; u++) scores[u] = 0; /* vexp of -infinity is not quite 0 */
            e = vload(scores + t);
        } else vstore(scores + t, e);
        total = vadd(total, e);
    }
#pragma GCC unroll 8
    for (int i = 0; i < V; i++) even[i] = odd[i] = vset(0);
    int64_t t = 0;
    for (; t + 2 <= length; t += 2) {
        const float *value = values + t * V * VL;
        const vf a = vset(scores[t]), b = vset(scores[t + 1]);
#pragma GCC unroll 8
        for (int i = 0; i < V; i++) {
            even[i] = vfma(a, vload(value + i * VL), even[i]);
            odd[i] = vfma(b, vload(value + (V + i) * VL), odd[i]);
        }
    }
    if (t < length) {
        const vf a = vset(scores[t]);
#pragma GCC unroll 8
        for (int i = 0; i < V; i++) even[i] = vfma(a, vload(values + (t * V + i) * VL), even[i]);
    }
    const vf factor = vset(1.0f / vsum(total)); /* softmax's divisor, once at the end */
#pragma GCC unroll 8
    for (int i = 0; i < V; i++) vstore(out + i * VL, vmul(vadd(even[i], odd[i]), factor));
}

/* A part of an `attention`: stores the new positions of one head of keys, then answers the queries that look at it. */
static void attention_part(void *argument, int64_t kv_head) {
    const attention *a = argument;
    const int64_t head_dim = a->head_dim, queries = a->num_heads / a->num_kv_heads;
    const int64_t row_size = (a->num_heads + 2 * a->num_kv_heads) * head_dim, head_size = a->cache->capacity * head_dim;
    const float *rotations = a->cache->rotations + a->position * head_dim;
    float *keys = a->keys + kv_head * head_size, *values = a->values + kv_head * head_size;
    for (int64_t row = 0; row < a->rows; row++) {
        const float *key = a->projected + row * row_size + (a->num_heads + kv_head) * head_dim;
        rotate(key, rotations + row * head_dim, head_dim, 1.0f, keys + (a->cache_index + row) * head_dim);
        memcpy(values + (a->cache_index + row) * head_dim, key + a->num_kv_heads * head_dim, sizeof(float) * (size_t)head_dim);
    }
    if (a->only_stores) return;
    const float scale = 1.0f / sqrtf((float)head_dim);
    float *scores = a->scores + kv_head * a->scores_stride;
    for (int64_t row = 0; row < a->rows; row++) {
        const int64_t end = a->cache_index + row + 1;
        const int64_t begin = a->context && end > a->context ? end - a->context : 0;
        const float *k = keys + begin * head_dim, *v = values + begin * head_dim;
        for (int64_t head = kv_head * queries; head < (kv_head + 1) * queries; head++) {
            float query[MAX_HEAD_DIM], *out = a->out + (row * a->num_heads + head) * head_dim;
            rotate(a->projected + row * row_size + head * head_dim, rotations + row * head_dim, head_dim, scale, query);
            if (head_dim == 64) attend(query, k, v, end - begin, scores, out, 64 / VL);
            else if (head_dim == 32) attend(query, k, v, end - begin, scores, out, 32 / VL);
            else if (head_dim == 16) attend(query, k, v, end - begin, scores, out, 16 / VL);
            else attend(query, k, v, end - begin, scores, out, 128 / VL);
        }
    }
}
