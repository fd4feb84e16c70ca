/* Linear layers and norms.

   All matrices are row-major; a linear layer is y = W x + b with W (out, in). Sizes of inputs are multiples of 16.
   int8: weights are whole numbers of -127..127 with a scale per output; inputs are quantized anew at every call, each row with
   a scale and a zero point of its own (0..255); sums are exact in 32 bits. float32 and bf16 weights are multiplied in float32. */
#pragma once
#include <math.h>
#include <string.h>
#include "team.h"
#include "vectors.h"

#define LANES 16 /* outputs in a block of packed weights */
#define ROWS 64  /* positions at once, at most */

enum { NONE, FLOAT32, BF16, INT8, BLOCKS };         /* kinds of weights */
enum { STORE, STORE_GELU, STORE_SILU, ADD };        /* what is done with a layer's result */

typedef struct {
    int64_t kind, in, out;
    const void *weight;   /* (out, in); int8: packed, see pv_pack; BLOCKS: see mimi.h */
    const float *scale;   /* (out,), int8 only */
    const int32_t *sums;  /* (out,), of each row's whole numbers, int8 only */
    const float *bias;    /* (out,) or null */
} pv_linear;

typedef struct { const float *weight, *bias; } pv_norm;

typedef struct {
    pv_norm norm1, norm2;
    pv_linear in_proj, out_proj, linear1, linear2;
} pv_layer;

#ifdef __AVX512F__
typedef uint8_t quantized;
#else
typedef int16_t quantized; /* zero point subtracted already */
#endif

static int64_t largest(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Lays out so many numbers in a piece of memory: a function's `place`, in bytes, moves on; `at` may be null, to learn the size. */
#define PLACE(into, field, numbers) \
    into->field = (void *)(at ? at + place : 0), place += aligned((numbers) * (int64_t)sizeof(*into->field))

typedef struct {
    const pv_linear *layer;
    const float *x; /* (rows, in) */
    int64_t rows;
    float *y; /* (rows, out) */
    int after;
    quantized *q;          /* (rows, in) */
    float *scales, *zeros; /* (rows,) */
    float *split;          /* (in,), of a single row for BF16 weights */
} job;

static void normalized(const float *x, int64_t n, const pv_norm *norm, float epsilon, float *y) {
    vf total = vset(0), squares = vset(0);
    for (int64_t i = 0; i < n; i += VL) total = vadd(total, vload(x + i));
    const float mean = vsum(total) / (float)n;
    for (int64_t i = 0; i < n; i += VL) {
        vf d = vsub(vload(x + i), vset(mean));
        squares = vfma(d, d, squares);
    }
    const vf factor = vset(1.0f / sqrtf(vsum(squares) / (float)n + epsilon));
    for (int64_t i = 0; i < n; i += VL) {
        vf d = vmul(vsub(vload(x + i), vset(mean)), factor);
        if (norm) d = vfma(d, vload(norm->weight + i), vload(norm->bias + i));
        vstore(y + i, d);
    }
}

static void quantize_row(const float *x, int64_t n, quantized *q, float *scale, float *zero) {
    vf low = vset(0), high = vset(0), damage = vset(0);
    for (int64_t i = 0; i < n; i += VL) {
        vf v = vload(x + i);
        low = vmin(low, v);
        high = vmax(high, v);
        damage = vfma(v, vset(0), damage); /* NaN if one is NaN or infinite, which minimum and maximum may lose */
    }
    if (isnan(vsum(damage))) { /* so are the results, then */
        memset(q, 0, sizeof(quantized) * (size_t)n);
        *scale = NAN;
        *zero = 0;
        return;
    }
    const float least = vminimum(low), step = fmaxf((vmaximum(high) - least) / 255.0f, 1e-20f);
    const float offset = nearbyintf(-least / step), inverse = 1.0f / step;
    for (int64_t i = 0; i < n; i += VL) {
        vf v = vround(vmul(vload(x + i), vset(inverse)));
        v = vmax(vmin(vadd(v, vset(offset)), vset(255.0f)), vset(0));
#ifdef __AVX512F__
        _mm_storeu_si128((__m128i *)(q + i), _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(v)));
#else
        __m256i whole = _mm256_cvtps_epi32(vsub(v, vset(offset)));
        _mm_storeu_si128((__m128i *)(q + i), _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)));
#endif
    }
    *scale = step;
    *zero = offset;
}

static void quantize_chunk(void *argument, int64_t row) {
    const job *j = argument;
    const int64_t in = j->layer->in;
    quantize_row(j->x + row * in, in, j->q + row * in, j->scales + row, j->zeros + row);
}

/* The results of 16 outputs of one row, the last ones of which may not exist. */
static void finish_block(const job *j, int64_t row, int64_t first, const float *values) {
    const pv_linear *l = j->layer;
    float *y = j->y + row * l->out + first;
    const int64_t left = l->out - first;
    for (int i = 0; i < LANES && i < left; i += VL) {
        vf v = vload(values + i);
        if (l->bias) v = vadd(v, vload_some(l->bias + first + i, left - i));
        if (j->after == STORE_GELU) v = vgelu(v);
        if (j->after == STORE_SILU) v = vsilu(v);
        if (j->after == ADD) v = vadd(v, vload_some(y + i, left - i));
        vstore_some(y + i, v, left - i);
    }
}

/* Packed int8 weights: blocks of 16 outputs; in a block, for every four inputs, 16 x 4 whole numbers side by side. */

#ifdef __AVX512F__
INLINE void int8_tile(const job *j, int64_t row, int64_t block, const int R, const int NB) {
    const pv_linear *l = j->layer;
    const int64_t in = l->in;
    const int8_t *w = (const int8_t *)l->weight + block * LANES * in;
    const uint8_t *q = j->q + row * in;
    __m512i acc[4][2];
#pragma GCC unroll 4
    for (int r = 0; r < R; r++)
#pragma GCC unroll 2
        for (int b = 0; b < NB; b++) acc[r][b] = _mm512_setzero_si512();
    for (int64_t k = 0; k < in; k += 4) {
        __m512i ws[2];
#pragma GCC unroll 2
        for (int b = 0; b < NB; b++) ws[b] = _mm512_loadu_si512(w + b * LANES * in + k * LANES);
#pragma GCC unroll 4
        for (int r = 0; r < R; r++) {
            int32_t four;
            memcpy(&four, q + r * in + k, 4);
            const __m512i a = _mm512_set1_epi32(four);
#pragma GCC unroll 2
            for (int b = 0; b < NB; b++) acc[r][b] = _mm512_dpbusd_epi32(acc[r][b], a, ws[b]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; r++)
#pragma GCC unroll 2
        for (int b = 0; b < NB; b++) {
            const int64_t first = (block + b) * LANES;
            const __m512i zero = _mm512_set1_epi32((int)j->zeros[row + r]);
            const __m512i sum = _mm512_sub_epi32(acc[r][b], _mm512_mullo_epi32(zero, _mm512_loadu_si512(l->sums + first)));
            float values[LANES];
            vstore(values, vmul(_mm512_cvtepi32_ps(sum), vmul(vset(j->scales[row + r]), vload(l->scale + first))));
            finish_block(j, row + r, first, values);
        }
}

/* One row: every weight is read once, so only reading counts; four sums hide the latency of each. */
INLINE void int8_row(const job *j, int64_t block) {
    const pv_linear *l = j->layer;
    const int64_t in = l->in;
    const int8_t *w = (const int8_t *)l->weight + block * LANES * in;
    const uint8_t *q = j->q;
    __m512i acc[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    for (int64_t k = 0; k < in; k += 16) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            int32_t four;
            memcpy(&four, q + k + 4 * i, 4);
            acc[i] = _mm512_dpbusd_epi32(acc[i], _mm512_set1_epi32(four), _mm512_loadu_si512(w + (k + 4 * i) * LANES));
        }
    }
    const int64_t first = block * LANES;
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(acc[0], acc[1]), _mm512_add_epi32(acc[2], acc[3]));
    sum = _mm512_sub_epi32(sum, _mm512_mullo_epi32(_mm512_set1_epi32((int)j->zeros[0]), _mm512_loadu_si512(l->sums + first)));
    float values[LANES];
    vstore(values, vmul(_mm512_cvtepi32_ps(sum), vmul(vset(j->scales[0]), vload(l->scale + first))));
    finish_block(j, 0, first, values);
}

#define TILE_ROWS 4 /* more spill */
#else
/* Without VNNI: products of whole numbers of 16 bits, pairs of them added in 32. */
INLINE void int8_tile(const job *j, int64_t row, int64_t block, const int R, const int NB) {
    const pv_linear *l = j->layer;
    const int64_t in = l->in;
    for (int b = 0; b < NB; b++) {
        const int8_t *w = (const int8_t *)l->weight + (block + b) * LANES * in;
        const int16_t *q = j->q + row * in;
        __m256i acc[2][4];
#pragma GCC unroll 2
        for (int r = 0; r < R; r++)
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) acc[r][i] = _mm256_setzero_si256();
        for (int64_t k = 0; k < in; k += 4) {
            __m256i four[2];
#pragma GCC unroll 2
            for (int r = 0; r < R; r++) {
                int64_t values;
                memcpy(&values, q + r * in + k, 8);
                four[r] = _mm256_set1_epi64x(values);
            }
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                const __m256i ws = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(w + k * LANES + 16 * i)));
#pragma GCC unroll 2
                for (int r = 0; r < R; r++) acc[r][i] = _mm256_add_epi32(acc[r][i], _mm256_madd_epi16(four[r], ws));
            }
        }
#pragma GCC unroll 2
        for (int r = 0; r < R; r++) {
            const int64_t first = (block + b) * LANES;
            float values[LANES];
            for (int half = 0; half < 2; half++) {
                __m256i sum = _mm256_hadd_epi32(acc[r][2 * half], acc[r][2 * half + 1]);
                sum = _mm256_permute4x64_epi64(sum, 0xd8);
                vf scale = vmul(vset(j->scales[row + r]), vload(l->scale + first + 8 * half));
                vstore(values + 8 * half, vmul(_mm256_cvtepi32_ps(sum), scale));
            }
            finish_block(j, row + r, first, values);
        }
    }
}

INLINE void int8_row(const job *j, int64_t block) { int8_tile(j, 0, block, 1, 1); }

#define TILE_ROWS 2
#endif

static void int8_chunk(void *argument, int64_t chunk) {
    const job *j = argument;
    const int64_t blocks = (j->layer->out + LANES - 1) / LANES, block = 2 * chunk;
    const int both = block + 1 < blocks;
    if (j->rows == 1) {
        int8_row(j, block);
        if (both) int8_row(j, block + 1);
        return;
    }
    int64_t row = 0;
    for (; row + TILE_ROWS <= j->rows; row += TILE_ROWS)
        if (both) int8_tile(j, row, block, TILE_ROWS, 2);
        else int8_tile(j, row, block, TILE_ROWS, 1);
    for (; row < j->rows; row++)
        if (both) int8_tile(j, row, block, 1, 2);
        else int8_tile(j, row, block, 1, 1);
}

/* float32 and bf16: dot products of rows of x and rows of the weight, R x 4 at once. */
INLINE void float_tile(const job *j, int64_t row, int64_t output, const int R, const int O, const int is_bf16, float *values) {
    const int64_t in = j->layer->in;
    const float *x = j->x + row * in;
    const float *w = (const float *)j->layer->weight + (is_bf16 ? 0 : output * in);
    const uint16_t *b = (const uint16_t *)j->layer->weight + (is_bf16 ? output * in : 0);
    vf acc[4][4];
#pragma GCC unroll 4
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int o = 0; o < O; o++) acc[r][o] = vset(0);
    for (int64_t k = 0; k < in; k += VL) {
        vf ws[4];
#pragma GCC unroll 4
        for (int o = 0; o < O; o++) ws[o] = is_bf16 ? vload_bf16(b + o * in + k) : vload(w + o * in + k);
#pragma GCC unroll 4
        for (int r = 0; r < R; r++) {
            const vf a = vload(x + r * in + k);
#pragma GCC unroll 4
            for (int o = 0; o < O; o++) acc[r][o] = vfma(a, ws[o], acc[r][o]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int o = 0; o < O; o++) values[r * LANES + o] = vsum(acc[r][o]);
}

#define FLOAT_ROWS 4

INLINE void float_rows(const job *j, int64_t row, int64_t first, const int R, const int is_bf16) {
    float values[FLOAT_ROWS * LANES];
    const int64_t count = j->layer->out - first < LANES ? j->layer->out - first : LANES;
    int64_t o = 0;
    for (; o + 4 <= count; o += 4) float_tile(j, row, first + o, R, 4, is_bf16, values + o);
    for (; o < count; o++) float_tile(j, row, first + o, R, 1, is_bf16, values + o);
    for (int r = 0; r < R; r++) finish_block(j, row + r, first, values + r * LANES);
}

/* One row: a weight's rows one after the other, since memory is fastest read in a single stream. */
static float float32_dot(const float *w, const float *x, int64_t n) {
    vf a = vset(0), b = vset(0), c = vset(0), d = vset(0);
    int64_t k = 0;
    for (; k + 4 * VL <= n; k += 4 * VL) {
        a = vfma(vload(w + k), vload(x + k), a);
        b = vfma(vload(w + k + VL), vload(x + k + VL), b);
        c = vfma(vload(w + k + 2 * VL), vload(x + k + 2 * VL), c);
        d = vfma(vload(w + k + 3 * VL), vload(x + k + 3 * VL), d);
    }
    for (; k < n; k += VL) a = vfma(vload(w + k), vload(x + k), a);
    return vsum(vadd(vadd(a, b), vadd(c, d)));
}

/* `x` as `split` leaves it: two neighbours of a weight in BF16 are one number of 32 bits, so even and odd inputs lie apart. */
static float bf16_dot(const uint16_t *w, const float *x, int64_t n) {
    vf a = vset(0), b = vset(0), c = vset(0), d = vset(0);
    int64_t k = 0;
    for (; k + 4 * VL <= n; k += 4 * VL) {
        vf even, odd;
        vload_pairs(w + k, &even, &odd);
        a = vfma(even, vload(x + k), a);
        b = vfma(odd, vload(x + k + VL), b);
        vload_pairs(w + k + 2 * VL, &even, &odd);
        c = vfma(even, vload(x + k + 2 * VL), c);
        d = vfma(odd, vload(x + k + 3 * VL), d);
    }
    for (; k + 2 * VL <= n; k += 2 * VL) {
        vf even, odd;
        vload_pairs(w + k, &even, &odd);
        a = vfma(even, vload(x + k), a);
        b = vfma(odd, vload(x + k + VL), b);
    }
    for (; k < n; k += VL) a = vfma(vload_bf16(w + k), vload(x + k), a);
    return vsum(vadd(vadd(a, b), vadd(c, d)));
}

static void split(const float *x, int64_t n, float *y) {
    int64_t k = 0;
    for (; k + 2 * VL <= n; k += 2 * VL)
        for (int i = 0; i < VL; i++) {
            y[k + i] = x[k + 2 * i];
            y[k + VL + i] = x[k + 2 * i + 1];
        }
    memcpy(y + k, x + k, sizeof(float) * (size_t)(n - k));
}

INLINE void float_one(const job *j, int64_t first, const int is_bf16) {
    const pv_linear *l = j->layer;
    float values[LANES];
    for (int64_t o = first; o < first + LANES && o < l->out; o++)
        values[o - first] = is_bf16 ? bf16_dot((const uint16_t *)l->weight + o * l->in, j->split, l->in)
                                    : float32_dot((const float *)l->weight + o * l->in, j->x, l->in);
    finish_block(j, 0, first, values);
}

INLINE void float_chunk_of(const job *j, int64_t chunk, const int is_bf16) {
    const int64_t first = chunk * LANES;
    int64_t row = 0;
    if (j->rows == 1) {
        float_one(j, first, is_bf16);
        return;
    }
    for (; row + FLOAT_ROWS <= j->rows; row += FLOAT_ROWS) float_rows(j, row, first, FLOAT_ROWS, is_bf16);
    for (; row < j->rows; row++) float_rows(j, row, first, 1, is_bf16);
}

static void float32_chunk(void *argument, int64_t chunk) { float_chunk_of(argument, chunk, 0); }
static void bf16_chunk(void *argument, int64_t chunk) { float_chunk_of(argument, chunk, 1); }

typedef struct {
    pv_team *team;
    float *x, *normed, *heads, *attended, *hidden; /* (ROWS, ...) */
    float *scores;                                 /* (heads, capacity) */
    quantized *q;
    float *split; /* (widest,) */
    float scales[ROWS], zeros[ROWS];
} work;

static void linear(work *k, const pv_linear *layer, const float *x, int64_t rows, float *y, int after) {
    job j = {layer, x, rows, y, after, k->q, k->scales, k->zeros, k->split};
    const int64_t blocks = (layer->out + LANES - 1) / LANES;
    if (layer->kind == INT8) {
        run(k->team, quantize_chunk, &j, rows);
        run(k->team, int8_chunk, &j, (blocks + 1) / 2);
    } else {
        if (layer->kind == BF16 && rows == 1) split(x, layer->in, k->split);
        run(k->team, layer->kind == BF16 ? bf16_chunk : float32_chunk, &j, blocks);
    }
}

typedef struct {
    const void *weight;
    int64_t kind, out, in;
    int8_t *packed;
    float *scale;
    int32_t *sums;
} packing;

static void pack_chunk(void *argument, int64_t chunk) {
    const packing *p = argument;
    const int64_t kind = p->kind, out = p->out, in = p->in;
    const void *weight = p->weight;
    int8_t *packed = p->packed;
    float *scale = p->scale;
    int32_t *sums = p->sums;
    for (int64_t row = chunk * LANES; row < (chunk + 1) * LANES; row++) {
        int8_t *block = packed + row / LANES * LANES * in + row % LANES * 4;
        const float *w = (const float *)weight + (kind == FLOAT32 ? row * in : 0);
        const uint16_t *b = (const uint16_t *)weight + (kind == BF16 ? row * in : 0);
        if (row >= out) {
            for (int64_t k = 0; k < in; k += 4) memset(block + k * LANES, 0, 4);
            scale[row] = 0;
            sums[row] = 0;
            continue;
        }
        vf high = vset(1e-6f), damage = vset(0);
        for (int64_t k = 0; k < in; k += VL) {
            const vf v = kind == BF16 ? vload_bf16(b + k) : vload(w + k);
            high = vmax(high, vmax(v, vsub(vset(0), v)));
            damage = vfma(v, vset(0), damage); /* as in quantize_row */
        }
        const float largest_one = vmaximum(high) + vsum(damage);
        const vf inverse = vset(127.0f / largest_one);
        vf total = vset(0);
        for (int64_t k = 0; k < in; k += VL) {
            const vf rounded = vround(vmul(kind == BF16 ? vload_bf16(b + k) : vload(w + k), inverse));
            int32_t fours[VL / 4];
#ifdef __AVX512F__
            const __m512i whole = _mm512_cvtps_epi32(rounded);
            _mm_storeu_si128((__m128i *)fours, _mm512_cvtepi32_epi8(whole));
#else
            const __m256i whole = _mm256_cvtps_epi32(rounded);
            const __m128i half = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
            _mm_storel_epi64((__m128i *)fours, _mm_packs_epi16(half, half));
#endif
            for (int i = 0; i < VL / 4; i++) memcpy(block + (k / 4 + i) * 4 * LANES, fours + i, 4);
            total = vadd(total, rounded); /* exact: less than 2^24 */
        }
        scale[row] = largest_one / 127.0f;
        sums[row] = isnan(largest_one) ? 0 : (int32_t)vsum(total);
    }
}

/* A weight (out, in), float32 or BF16, packed as int8: `packed` has whole blocks of 16 rows, `scale` and `sums` one number a
   row; rows that do not exist are zeros. */
EXPORT void pv_pack(pv_team *team, const void *weight, int64_t kind, int64_t out, int64_t in, int8_t *packed, float *scale, int32_t *sums) {
    packing p = {weight, kind, out, in, packed, scale, sums};
    run(team, pack_chunk, &p, (out + LANES - 1) / LANES);
}

typedef struct {
    const float *x;
    int64_t width;
    const pv_norm *norm;
    float epsilon;
    float *y;
} norming;

static void norm_chunk(void *argument, int64_t row) {
    const norming *n = argument;
    normalized(n->x + row * n->width, n->width, n->norm, n->epsilon, n->y + row * n->width);
}

static void norm(work *k, const float *x, int64_t rows, int64_t width, const pv_norm *how, float epsilon, float *y) {
    norming n = {x, width, how, epsilon, y};
    run(k->team, norm_chunk, &n, rows);
}
