/* FlowLM's step in C: one call a frame, without an interpreter between the operators, reading every weight once at memory speed.

   Called through `model.native`, which describes the model by the structures below (they must agree). Compiled once per
   instruction set by packaging/build_kernels.py; knows no Python, allocates nothing, keeps no state but what the caller owns.
   All matrices are row-major; a linear layer is y = W x + b with W (out, in). Sizes of inputs are multiples of 16.

   int8: weights are whole numbers of -127..127 with a scale per output; inputs are quantized anew at every call, each row with
   a scale and a zero point of its own (0..255); sums are exact in 32 bits. float32 and bf16 weights are multiplied in float32.
*/
#include <cpuid.h>
#include <immintrin.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#define give_core_away() SwitchToThread()
#else
#include <sched.h>
#define EXPORT __attribute__((visibility("default")))
#define give_core_away() sched_yield()
#endif

#define ABI 1 /* `model.native` has the same number */
#define INLINE static inline __attribute__((always_inline))
#define LANES 16 /* outputs in a block of packed weights */
#define ROWS 64  /* positions at once, at most */

enum { NONE, FLOAT32, BF16, INT8 };                 /* kinds of weights */
enum { STORE, STORE_GELU, STORE_SILU, ADD };        /* what is done with a layer's result */

typedef struct {
    int64_t kind, in, out;
    const void *weight;   /* (out, in); int8: packed, see pv_pack */
    const float *scale;   /* (out,), int8 only */
    const int32_t *sums;  /* (out,), of each row's whole numbers, int8 only */
    const float *bias;    /* (out,) or null */
} pv_linear;

typedef struct { const float *weight, *bias; } pv_norm;

typedef struct {
    pv_norm norm1, norm2;
    pv_linear in_proj, out_proj, linear1, linear2;
} pv_layer;

typedef struct {
    pv_norm norm;
    pv_linear first, second;
} pv_block; /* of the flow head */

typedef struct {
    int64_t layers, heads, kv_heads, head_dim, width;
    const pv_layer *layer;
    pv_linear input, z_proj; /* z_proj may be NONE */
    pv_norm out_norm;
    pv_linear eos;
    pv_linear condition, head_input, modulation, output; /* of the flow head */
    int64_t blocks, dim, latent_dim, is_sample;          /* is_sample: the head's result is the latent, not a flow to it */
    const pv_block *block;
    int64_t steps;
    const float *times; /* (steps, dim), added to the condition */
} pv_model;

/* Where keys and values lie: (layers, 2, kv_heads, capacity, head_dim); rotations (positions, head_dim) are cosine, sine pairs. */
typedef struct {
    float *keys_values;
    int64_t capacity;
    const float *rotations;
} pv_cache;

/* ---------------------------------------------------------------------------------------------- vectors */

#ifdef __AVX512F__
#define VL 16
typedef __m512 vf;
#define vload _mm512_loadu_ps
#define vstore _mm512_storeu_ps
#define vset _mm512_set1_ps
#define vadd _mm512_add_ps
#define vsub _mm512_sub_ps
#define vmul _mm512_mul_ps
#define vdiv _mm512_div_ps
#define vmax _mm512_max_ps
#define vmin _mm512_min_ps
#define vfma _mm512_fmadd_ps
#define vsum _mm512_reduce_add_ps
#define vmaximum _mm512_reduce_max_ps
#define vminimum _mm512_reduce_min_ps
#define vround(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define vtimes_power(x, n) _mm512_scalef_ps(x, n)
INLINE vf vload_bf16(const uint16_t *p) {
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
/* 2 x 16 numbers: those at even places and those at odd ones. */
INLINE void vload_pairs(const uint16_t *p, vf *even, vf *odd) {
    const __m512i pairs = _mm512_loadu_si512(p);
    *even = _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
    *odd = _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32((int)0xffff0000)));
}
#else
#define VL 8
typedef __m256 vf;
#define vload _mm256_loadu_ps
#define vstore _mm256_storeu_ps
#define vset _mm256_set1_ps
#define vadd _mm256_add_ps
#define vsub _mm256_sub_ps
#define vmul _mm256_mul_ps
#define vdiv _mm256_div_ps
#define vmax _mm256_max_ps
#define vmin _mm256_min_ps
#define vfma _mm256_fmadd_ps
#define vround(x) _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
INLINE vf vtimes_power(vf x, vf n) {
    __m256i exponent = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return vmul(x, _mm256_castsi256_ps(exponent));
}
INLINE float vsum(vf x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
INLINE float vmaximum(vf x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}
INLINE float vminimum(vf x) { return -vmaximum(vsub(vset(0), x)); }
INLINE vf vload_bf16(const uint16_t *p) {
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
INLINE void vload_pairs(const uint16_t *p, vf *even, vf *odd) {
    const __m256i pairs = _mm256_loadu_si256((const __m256i *)p);
    *even = _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
    *odd = _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32((int)0xffff0000)));
}
#endif

/* e^x to 2 units in the last place; Cody and Waite's reduction, the polynomial of Cephes. */
INLINE vf vexp(vf x) {
    x = vmax(vmin(x, vset(88.0f)), vset(-87.0f));
    vf n = vround(vmul(x, vset(1.44269504088896341f)));
    x = vfma(n, vset(-0.693359375f), x);
    x = vfma(n, vset(2.12194440e-4f), x);
    vf y = vset(1.9875691500e-4f);
    y = vfma(y, x, vset(1.3981999507e-3f));
    y = vfma(y, x, vset(8.3334519073e-3f));
    y = vfma(y, x, vset(4.1665795894e-2f));
    y = vfma(y, x, vset(1.6666665459e-1f));
    y = vfma(y, x, vset(5.0000001201e-1f));
    y = vadd(vfma(y, vmul(x, x), x), vset(1.0f));
    return vtimes_power(y, n);
}

INLINE vf vsilu(vf x) { return vdiv(x, vadd(vset(1.0f), vexp(vsub(vset(0), x)))); }

/* GELU (tanh): tanh(u) is 2 sigmoid(2u) - 1. */
INLINE vf vgelu(vf x) {
    const float slope = 1.59576912160573081f; /* 2 sqrt(2 / pi) */
    vf u = vmul(x, vfma(vmul(x, x), vset(0.044715f * slope), vset(slope)));
    return vdiv(x, vadd(vset(1.0f), vexp(vsub(vset(0), u))));
}

/* ------------------------------------------------------------------------------------- work in parallel */

/* Chunks of one piece of work are taken by whoever comes: the owner, and helpers that are there or not. The owner waits only
   for chunks that were taken, so a helper that the system has put aside costs nothing. `next` holds the number of the piece of
   work above the number of the next chunk: a helper that is late can't take from another piece. */
typedef void (*pv_work)(void *, int64_t);

typedef struct {
    _Atomic uint64_t next; /* work << 32 | chunk */
    _Atomic int64_t chunks, done;
    _Atomic int closed;
    pv_work work;
    void *argument;
} pv_team;

static int take(pv_team *team, int64_t *chunk) {
    uint64_t next = atomic_load(&team->next);
    while ((int64_t)(next & 0xffffffffu) < atomic_load(&team->chunks)) {
        if (atomic_compare_exchange_weak(&team->next, &next, next + 1)) {
            *chunk = (int64_t)(next & 0xffffffffu);
            return 1;
        }
    }
    return 0;
}

static void run(pv_team *team, pv_work work, void *argument, int64_t chunks) {
    int64_t chunk;
    if (!team || chunks < 2) {
        for (chunk = 0; chunk < chunks; chunk++) work(argument, chunk);
        return;
    }
    uint64_t number = (atomic_load(&team->next) >> 32) + 1;
    atomic_store(&team->chunks, 0); /* nothing can be taken while the work changes */
    atomic_store(&team->next, number << 32);
    atomic_store(&team->done, 0);
    team->work = work;
    team->argument = argument;
    atomic_store(&team->chunks, chunks);
    while (take(team, &chunk)) {
        work(argument, chunk);
        atomic_fetch_add(&team->done, 1);
    }
    for (int tries = 0; atomic_load(&team->done) < chunks; tries++)
        if (tries < 2000) _mm_pause();
        else give_core_away();
}

/* A helper's life: until the team is closed. It spins for some tens of microseconds, then gives the core to whoever wants it. */
EXPORT void pv_help(pv_team *team) {
    int64_t chunk;
    for (int tries = 0; !atomic_load(&team->closed);) {
        if (take(team, &chunk)) {
            team->work(team->argument, chunk);
            atomic_fetch_add(&team->done, 1);
            tries = 0;
        } else if (++tries < 2000) _mm_pause();
        else give_core_away();
    }
}

/* Before helpers come. */
EXPORT void pv_open(pv_team *team) {
    atomic_store(&team->chunks, 0);
    atomic_store(&team->closed, 0);
}

/* They go when they have finished what they took. */
EXPORT void pv_close(pv_team *team) { atomic_store(&team->closed, 1); }

EXPORT int64_t pv_team_bytes(void) { return sizeof(pv_team); }

/* --------------------------------------------------------------------------------------- linear layers */

#ifdef __AVX512F__
typedef uint8_t quantized;
#else
typedef int16_t quantized; /* zero point subtracted already */
#endif

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
    vf low = vset(0), high = vset(0);
    for (int64_t i = 0; i < n; i += VL) {
        vf v = vload(x + i);
        low = vmin(low, v);
        high = vmax(high, v);
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

/* A vector of results on its way out. */
INLINE void finish(float *y, vf v, int after) {
    if (after == STORE_GELU) v = vgelu(v);
    if (after == STORE_SILU) v = vsilu(v);
    if (after == ADD) v = vadd(v, vload(y));
    vstore(y, v);
}

/* The results of 16 outputs of one row, the last ones of which may not exist. */
static void finish_block(const job *j, int64_t row, int64_t first, float *values) {
    const pv_linear *l = j->layer;
    float *y = j->y + row * l->out + first;
    const int64_t count = l->out - first < LANES ? l->out - first : LANES;
    float held[LANES];
    const int whole = count == LANES;
    if (!whole) memcpy(held, y, sizeof(float) * (size_t)count);
    for (int i = 0; i < LANES; i += VL) {
        vf v = vload(values + i);
        if (l->bias) {
            float bias[LANES] = {0};
            if (whole) v = vadd(v, vload(l->bias + first + i));
            else {
                memcpy(bias, l->bias + first, sizeof(float) * (size_t)count);
                v = vadd(v, vload(bias + i));
            }
        }
        finish((whole ? y : held) + i, v, j->after);
    }
    if (!whole) memcpy(y, held, sizeof(float) * (size_t)count);
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

/* ------------------------------------------------------------------------------------------ transformer */

typedef struct {
    const pv_model *m;
    work *k;
    float *keys, *values; /* (kv_heads, capacity, head_dim) of a layer */
    int64_t capacity, position, rows;
    const float *rotations;
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
    vf q[8], sum[8], other[8];
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
    const pv_model *m = a->m;
    const int64_t dim = m->head_dim, group = m->heads / m->kv_heads, all = (m->heads + 2 * m->kv_heads) * dim;
    float *keys = a->keys + kv_head * a->capacity * dim, *values = a->values + kv_head * a->capacity * dim;
    for (int64_t n = 0; n < a->rows; n++) {
        const float *heads = a->k->heads + n * all;
        const int64_t position = a->position + n;
        rotate(heads + (m->heads + kv_head) * dim, a->rotations + position * dim, dim, 1.0f, keys + position * dim);
        memcpy(values + position * dim, heads + (m->heads + m->kv_heads + kv_head) * dim, sizeof(float) * (size_t)dim);
    }
    const float scale = 1.0f / sqrtf((float)dim);
    float *scores = a->k->scores + kv_head * (a->capacity + VL);
    for (int64_t n = 0; n < a->rows; n++)
        for (int64_t head = kv_head * group; head < (kv_head + 1) * group; head++) {
            float query[128];
            const int64_t position = a->position + n;
            float *out = a->k->attended + (n * m->heads + head) * dim;
            rotate(a->k->heads + n * all + head * dim, a->rotations + position * dim, dim, scale, query);
            if (dim == 64) attend(query, keys, values, position + 1, scores, out, 64 / VL);
            else if (dim == 32) attend(query, keys, values, position + 1, scores, out, 32 / VL);
            else if (dim == 16) attend(query, keys, values, position + 1, scores, out, 16 / VL);
            else attend(query, keys, values, position + 1, scores, out, 128 / VL);
        }
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

/* All layers over `rows` new positions, whose inputs and outputs are k->x. */
static void transformer(const pv_model *m, work *k, const pv_cache *cache, int64_t position, int64_t rows) {
    const int64_t part = m->kv_heads * cache->capacity * m->head_dim;
    for (int64_t i = 0; i < m->layers; i++) {
        const pv_layer *l = m->layer + i;
        norm(k, k->x, rows, m->width, &l->norm1, 1e-5f, k->normed);
        linear(k, &l->in_proj, k->normed, rows, k->heads, STORE);
        float *keys = cache->keys_values + 2 * i * part;
        attention a = {m, k, keys, keys + part, cache->capacity, position, rows, cache->rotations};
        run(k->team, attention_chunk, &a, m->kv_heads);
        linear(k, &l->out_proj, k->attended, rows, k->x, ADD);
        norm(k, k->x, rows, m->width, &l->norm2, 1e-5f, k->normed);
        linear(k, &l->linear1, k->normed, rows, k->hidden, STORE_GELU);
        linear(k, &l->linear2, k->hidden, rows, k->x, ADD);
    }
}

/* -------------------------------------------------------------------------------------- the whole model */

static int64_t largest(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Lays out the work space; `at` may be null, to learn its size. */
static int64_t lay_out(const pv_model *m, int64_t rows, int64_t capacity, char *at, work *k) {
    const int64_t all = (m->heads + 2 * m->kv_heads) * m->head_dim, attended = m->heads * m->head_dim;
    int64_t widest = largest(m->width, largest(attended, m->layer[0].linear1.out));
    widest = largest(widest, largest(m->condition.in, m->dim));
    const int64_t modulations = m->steps * m->modulation.out;
    int64_t place = 0;
#define PLACE(field, numbers) \
    k->field = (void *)(at ? at + place : 0), place += aligned((numbers) * (int64_t)sizeof(*k->field))
    PLACE(x, rows * largest(m->width, m->dim));
    PLACE(normed, rows * largest(m->width, largest(m->dim, m->condition.in)));
    PLACE(heads, largest(rows * all, modulations));
    PLACE(attended, rows * largest(attended, largest(m->dim, m->latent_dim)));
    PLACE(hidden, largest(rows * widest, m->steps * m->dim));
    PLACE(scores, m->kv_heads * (capacity + VL));
    PLACE(q, largest(rows * widest, m->steps * m->dim));
    PLACE(split, largest(widest, m->latent_dim));
#undef PLACE
    return place + 64;
}

static void prepare(const pv_model *m, work *k, pv_team *team, void *space, int64_t rows, int64_t capacity) {
    char *at = (char *)(((uintptr_t)space + 63) / 64 * 64);
    lay_out(m, rows, capacity, at, k);
    k->team = team;
}

/* Bytes of work space that calls with up to `rows` positions need. */
EXPORT int64_t pv_space(const pv_model *m, int64_t rows, int64_t capacity) {
    work k;
    return lay_out(m, rows, capacity, 0, &k);
}

/* Appends `rows` (at most ROWS) inputs of the transformer, (rows, width), at `position`. */
EXPORT void pv_append(const pv_model *m, const pv_cache *cache, pv_team *team, void *space, int64_t position, int64_t rows, const float *x) {
    work k;
    prepare(m, &k, team, space, rows, cache->capacity);
    memcpy(k.x, x, sizeof(float) * (size_t)(rows * m->width));
    transformer(m, &k, cache, position, rows);
}

/* Flow at `x` (latent_dim,) -> k->attended; `modulation` is shift, 1 + scale, gate of each block, then shift, 1 + scale. */
static void flow(const pv_model *m, work *k, const float *x, const float *modulation) {
    const int64_t dim = m->dim;
    float *h = k->x, *normed = k->normed, *update = k->attended;
    linear(k, &m->head_input, x, 1, h, STORE);
    for (int64_t b = 0; b <= m->blocks; b++, modulation += 3 * dim) {
        const int last = b == m->blocks;
        normalized(h, dim, last ? 0 : &m->block[b].norm, 1e-6f, normed);
        for (int64_t i = 0; i < dim; i += VL)
            vstore(normed + i, vfma(vload(normed + i), vload(modulation + dim + i), vload(modulation + i)));
        if (last) break;
        linear(k, &m->block[b].first, normed, 1, k->hidden, STORE_SILU);
        linear(k, &m->block[b].second, k->hidden, 1, update, STORE);
        for (int64_t i = 0; i < dim; i += VL)
            vstore(h + i, vfma(vload(modulation + 2 * dim + i), vload(update + i), vload(h + i)));
    }
    linear(k, &m->output, normed, 1, update, STORE);
}

/* One latent (latent_dim,) of a condition in k->normed; changes all of the work space. */
static void sample(const pv_model *m, work *k, const float *noise, float *latent) {
    const int64_t dim = m->dim, n = m->latent_dim;
    linear(k, &m->condition, k->normed, 1, k->attended, STORE);
    for (int64_t s = 0; s < m->steps; s++)
        for (int64_t i = 0; i < dim; i += VL)
            vstore(k->hidden + s * dim + i, vsilu(vadd(vload(k->attended + i), vload(m->times + s * dim + i))));
    for (int64_t s = 0; s < m->steps; s++)
        linear(k, &m->modulation, k->hidden + s * dim, 1, k->heads + s * m->modulation.out, STORE);
    memcpy(latent, noise, sizeof(float) * (size_t)n);
    for (int64_t s = 0; s < m->steps; s++) {
        flow(m, k, latent, k->heads + s * m->modulation.out);
        for (int64_t i = 0; i < n; i++)
            latent[i] = m->is_sample ? k->attended[i] : latent[i] + k->attended[i] / (float)m->steps;
    }
}

/* Appends `latent` at `position` and predicts the next one from `noise`, both (latent_dim,); returns the end-of-speech logit. */
EXPORT float pv_step(const pv_model *m, const pv_cache *cache, void *space, int64_t position, const float *latent, const float *noise, float *next) {
    work k;
    float eos[LANES];
    prepare(m, &k, 0, space, 1, cache->capacity);
    linear(&k, &m->input, latent, 1, k.x, STORE);
    transformer(m, &k, cache, position, 1);
    normalized(k.x, m->width, &m->out_norm, 1e-5f, k.normed);
    if (m->z_proj.kind != NONE) {
        linear(&k, &m->z_proj, k.normed, 1, k.hidden, STORE);
        memcpy(k.normed, k.hidden, sizeof(float) * (size_t)m->z_proj.out);
    }
    linear(&k, &m->eos, k.normed, 1, eos, STORE);
    sample(m, &k, noise, next);
    return eos[0];
}

/* ---------------------------------------------------------------------------------------------- packing */

/* Rows first .. last of a weight (out, in), float32 or BF16, packed as int8: `packed` has whole blocks of 16 rows, `scale` and
   `sums` one number a row, rows that do not exist are zeros. `first` is a multiple of 16. */
EXPORT void pv_pack(const void *weight, int64_t kind, int64_t out, int64_t in, int64_t first, int64_t last, int8_t *packed, float *scale, int32_t *sums) {
    for (int64_t row = first; row < last; row++) {
        int8_t *block = packed + row / LANES * LANES * in + row % LANES * 4;
        const float *w = (const float *)weight + (kind == FLOAT32 ? row * in : 0);
        const uint16_t *b = (const uint16_t *)weight + (kind == BF16 ? row * in : 0);
        if (row >= out) {
            for (int64_t k = 0; k < in; k += 4) memset(block + k * LANES, 0, 4);
            scale[row] = 0;
            sums[row] = 0;
            continue;
        }
        vf high = vset(1e-6f);
        for (int64_t k = 0; k < in; k += VL) {
            const vf v = kind == BF16 ? vload_bf16(b + k) : vload(w + k);
            high = vmax(high, vmax(v, vsub(vset(0), v)));
        }
        const float largest_one = vmaximum(high);
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
        sums[row] = (int32_t)vsum(total);
    }
}

/* Whether this processor, and the system on it, can run what this library was compiled for. cpuid itself is asked:
   __builtin_cpu_supports knows nothing in Zig's run-time library. */
EXPORT int pv_supported(void) {
    unsigned a, b, c, d, b7, c7, state, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid_count(7, 0, &a, &b7, &c7, &d)) return 0;
    const unsigned needed = bit_FMA | bit_F16C | bit_OSXSAVE;
    if ((c & needed) != needed) return 0;
    __asm__ volatile("xgetbv" : "=a"(state), "=d"(high) : "c"(0)); /* the registers that the system saves */
#ifdef __AVX512F__
    const unsigned saved = 0xe6, more = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
    if (!(c7 & bit_AVX512VNNI)) return 0;
#else
    const unsigned saved = 0x06, more = 0;
#endif
    const unsigned all = more | bit_AVX2 | bit_BMI | bit_BMI2;
    return (state & saved) == saved && (b7 & all) == all;
}

EXPORT int pv_abi(void) { return ABI; }
