/* Mimi's decoder, from normalised latents to samples, in bf16 with float32 sums: for processors that multiply bf16 themselves.

   Time-major throughout. Each convolution is a matrix product on windows of its input's rows, which overlap and lie where they
   are; a transposed one of kernel 2S and stride S is one of kernel 2 with S x C outputs a row. ELU is applied once, by who
   writes a convolution's input. A convolution keeps the last rows of its input in front of the next ones. The outputs do not
   depend on how frames are divided among calls. */
#pragma once
#include "attention.h"
#include "layers.h"

#define FRAMES 8 /* a call, at most */
#define SLICE 96 /* rows of a stage's input at once: what comes of them stays in the cache of the second level */

/* PAIRED weights: blocks of 16 outputs; in a block, for every two inputs, 16 x 2 numbers in bf16. in = (history + 1) channels. */
typedef struct {
    pv_linear linear;
    int64_t channels, history, replicate; /* replicate: the past of the beginning is its first row, else zeros */
} pv_conv;

typedef struct {
    pv_conv up; /* transposed */
    int64_t stride;
    pv_conv wide; /* of the residual block */
    pv_linear narrow;
} pv_stage;

typedef struct {
    pv_linear project; /* FLOAT32 */
    int64_t steps;     /* rows a latent */
    const float *now, *before; /* (steps, width): the filters that make rows of this latent and of the last one */
    int64_t layers, heads, head_dim, width, context;
    const pv_layer *layer;
    pv_conv first, last;
    int64_t stages;
    const pv_stage *stage;
} pv_mimi;

#ifdef __AVX512F__
#define BF16_CODE __attribute__((target("avx512bf16")))

enum { AS_IT_IS, GELU, ELU };

/* A product on its way: value = W a + bias [+ skip]; y gets it as it is, z what `after` makes of it in bf16. */
typedef struct {
    const uint16_t *a; /* (rows, in), `stride` apart */
    int64_t stride, rows;
    const pv_linear *layer;
    int after;
    const float *skip; /* (rows, out) or null */
    float *y;          /* (rows, out) or null */
    uint16_t *z;       /* (rows, out) or null */
} product;

INLINE BF16_CODE void product_end(const product *p, int64_t row, int64_t first, __m512 v) {
    const pv_linear *l = p->layer;
    const int64_t left = l->out - first, place = row * l->out + first;
    const __mmask16 there = left >= LANES ? (__mmask16)0xffff : (__mmask16)((1u << left) - 1);
    if (l->bias) v = vadd(v, _mm512_maskz_loadu_ps(there, l->bias + first));
    if (p->skip) v = vadd(v, _mm512_maskz_loadu_ps(there, p->skip + place));
    if (p->y) _mm512_mask_storeu_ps(p->y + place, there, v);
    if (!p->z) return;
    if (p->after == GELU) v = vgelu(v);
    if (p->after == ELU) v = vmax(vsub(vexp(vmin(vset(0), v)), vset(1.0f)), v); /* in this order for NaN, see vexp */
    _mm256_mask_storeu_epi16(p->z + place, there, (__m256i)_mm512_cvtneps_pbh(v));
}

INLINE BF16_CODE void product_tile(const product *p, int64_t row, int64_t block, const int R, const int NB) {
    const int64_t pairs = p->layer->in / 2;
    const uint16_t *w = (const uint16_t *)p->layer->weight + block * pairs * 2 * LANES;
    const uint16_t *a = p->a + row * p->stride;
    __m512 acc[4][2];
#pragma GCC unroll 4
    for (int r = 0; r < R; r++)
#pragma GCC unroll 2
        for (int b = 0; b < NB; b++) acc[r][b] = _mm512_setzero_ps();
    for (int64_t k = 0; k < pairs; k++) {
        __m512bh ws[2];
#pragma GCC unroll 2
        for (int b = 0; b < NB; b++) ws[b] = (__m512bh)_mm512_loadu_si512(w + (b * pairs + k) * 2 * LANES);
#pragma GCC unroll 4
        for (int r = 0; r < R; r++) {
            int32_t pair;
            memcpy(&pair, a + r * p->stride + 2 * k, 4);
            const __m512bh both = (__m512bh)_mm512_set1_epi32(pair);
#pragma GCC unroll 2
            for (int b = 0; b < NB; b++) acc[r][b] = _mm512_dpbf16_ps(acc[r][b], both, ws[b]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; r++)
#pragma GCC unroll 2
        for (int b = 0; b < NB; b++) product_end(p, row + r, (block + b) * LANES, acc[r][b]);
}

static BF16_CODE void multiply(const product *p) {
    const int64_t blocks = (p->layer->out + LANES - 1) / LANES;
    for (int64_t block = 0; block < blocks; block += 2) {
        const int both = block + 1 < blocks;
        int64_t row = 0;
        for (; row + 4 <= p->rows; row += 4)
            if (both) product_tile(p, row, block, 4, 2);
            else product_tile(p, row, block, 4, 1);
        for (; row < p->rows; row++)
            if (both) product_tile(p, row, block, 1, 2);
            else product_tile(p, row, block, 1, 1);
    }
}

static BF16_CODE void to_bf16(const float *x, int64_t n, uint16_t *z) {
    for (int64_t i = 0; i < n; i += LANES) _mm256_storeu_si256((__m256i *)(z + i), (__m256i)_mm512_cvtneps_pbh(vload(x + i)));
}

/* A decoder's state and work space, in one piece of memory of the caller's. */
typedef struct {
    int64_t *begun;                 /* of each convolution: whether its past is one */
    float *last_projected;          /* (width,) */
    uint16_t *first, *last;         /* inputs of convolutions: (history + rows, channels) */
    uint16_t *up[8], *wide[8];
    float *raw;                     /* a residual block's input */
    uint16_t *middle;               /* what lies between its convolutions */
    float *x, *normed, *heads, *attended, *scores, *projected;
    uint16_t *low;                  /* (rows, widest) */
    float *samples;                 /* where the next ones go; the caller's */
} decoder;

static int64_t slice_of(int64_t stage, const pv_mimi *m) { return stage ? SLICE : FRAMES * m->steps; }

static int64_t lay_out_mimi(const pv_mimi *m, char *at, decoder *d) {
    const int64_t rows = FRAMES * m->steps, all = 3 * m->heads * m->head_dim;
    int64_t place = 0, raw = 0, middle = 0, widest = largest(m->width, m->heads * m->head_dim);
    for (int64_t i = 0; i < m->layers; i++) widest = largest(widest, m->layer[i].linear1.out);
#define PLACE(field, numbers) \
    d->field = (void *)(at ? at + place : 0), place += aligned((numbers) * (int64_t)sizeof(*d->field))
    PLACE(begun, 2 + 2 * m->stages);
    PLACE(last_projected, m->width);
    PLACE(first, (m->first.history + rows) * m->first.channels);
    int64_t into = rows; /* rows of the next convolution's input */
    for (int64_t s = 0; s < m->stages; s++) {
        const pv_stage *g = m->stage + s;
        PLACE(up[s], (g->up.history + into) * g->up.channels);
        into = slice_of(s, m) * g->stride;
        PLACE(wide[s], (g->wide.history + into) * g->wide.channels);
        raw = largest(raw, into * g->wide.channels);
        middle = largest(middle, into * g->wide.linear.out);
    }
    PLACE(last, (m->last.history + into) * m->last.channels);
    PLACE(raw, raw);
    PLACE(middle, middle);
    PLACE(x, rows * m->width);
    PLACE(normed, rows * m->width);
    PLACE(heads, rows * largest(all, widest));
    PLACE(attended, rows * m->heads * m->head_dim);
    PLACE(scores, m->context + 16);
    PLACE(projected, FRAMES * m->width);
    PLACE(low, rows * widest);
#undef PLACE
    return place + 64;
}

/* `rows` new rows of `input`, whose past lies before them. */
static BF16_CODE void convolve(const pv_conv *c, uint16_t *input, int64_t *begun, int64_t rows, product p) {
    const int64_t past = c->history * c->channels;
    if (!*begun && c->replicate)
        for (int64_t h = 0; h < c->history; h++)
            memcpy(input + h * c->channels, input + past, sizeof(uint16_t) * (size_t)c->channels);
    *begun = 1;
    p.a = input;
    p.stride = c->channels;
    p.rows = rows;
    p.layer = &c->linear;
    multiply(&p);
    memmove(input, input + rows * c->channels, sizeof(uint16_t) * (size_t)past);
}

static uint16_t *after_past(uint16_t *input, const pv_conv *c) { return input + c->history * c->channels; }

static BF16_CODE void run_stage(const pv_mimi *m, decoder *d, int64_t s, int64_t rows) {
    const pv_stage *g = m->stage + s;
    const int is_last = s + 1 == m->stages;
    const pv_conv *next = is_last ? &m->last : &m->stage[s + 1].up;
    uint16_t *next_input = is_last ? d->last : d->up[s + 1];
    const int64_t slice = slice_of(s, m), channels = g->up.channels;
    for (int64_t start = 0; start < rows; start += slice) {
        const int64_t taken = rows - start < slice ? rows - start : slice, made = taken * g->stride;
        multiply(&(product){d->up[s] + start * channels, channels, taken, &g->up.linear, ELU, 0, d->raw, after_past(d->wide[s], &g->wide)});
        convolve(&g->wide, d->wide[s], d->begun + 2 + 2 * s, made, (product){.after = ELU, .z = d->middle});
        multiply(&(product){d->middle, g->narrow.in, made, &g->narrow, ELU, d->raw, 0, after_past(next_input, next)});
        if (!is_last) {
            run_stage(m, d, s + 1, made);
            continue;
        }
        convolve(next, next_input, d->begun + 1, made, (product){.after = AS_IT_IS, .y = d->samples});
        d->samples += made * m->last.linear.out;
    }
    memmove(d->up[s], d->up[s] + rows * channels, sizeof(uint16_t) * (size_t)(g->up.history * channels));
}

static BF16_CODE void mimi_transformer(const pv_mimi *m, decoder *d, const pv_cache *cache, int64_t index, int64_t position, int64_t rows) {
    const int64_t part = m->heads * cache->capacity * m->head_dim, width = m->width, attended = m->heads * m->head_dim;
    for (int64_t i = 0; i < m->layers; i++) {
        const pv_layer *l = m->layer + i;
        for (int64_t n = 0; n < rows; n++) normalized(d->x + n * width, width, &l->norm1, 1e-5f, d->normed + n * width);
        to_bf16(d->normed, rows * width, d->low);
        multiply(&(product){d->low, width, rows, &l->in_proj, AS_IT_IS, 0, d->heads, 0});
        float *keys = cache->keys_values + 2 * i * part;
        attention a = {m->heads, m->heads, m->head_dim, position, index, m->context, rows, 0, cache, keys, keys + part, d->heads, d->scores, 0, d->attended};
        for (int64_t head = 0; head < m->heads; head++) attention_chunk(&a, head);
        to_bf16(d->attended, rows * attended, d->low);
        multiply(&(product){d->low, attended, rows, &l->out_proj, AS_IT_IS, d->x, d->x, 0});
        for (int64_t n = 0; n < rows; n++) normalized(d->x + n * width, width, &l->norm2, 1e-5f, d->normed + n * width);
        to_bf16(d->normed, rows * width, d->low);
        uint16_t *hidden = (uint16_t *)d->heads;
        multiply(&(product){d->low, width, rows, &l->linear1, GELU, 0, 0, hidden});
        multiply(&(product){hidden, l->linear1.out, rows, &l->linear2, AS_IT_IS, d->x, d->x, 0});
    }
}

/* Up to FRAMES `latents` (frames, numbers) -> `samples`. `position` counts rows since the beginning, `index` is the place of the
   first in the cache; `fresh` begins a new sound, else `space` is as the last call left it. */
static BF16_CODE void decode(const pv_mimi *m, const pv_cache *cache, void *space, int64_t index, int64_t position, int fresh, const float *latents, int64_t frames, float *samples) {
    decoder d;
    char *at = (char *)(((uintptr_t)space + 63) / 64 * 64);
    const int64_t size = lay_out_mimi(m, at, &d), width = m->width, rows = frames * m->steps;
    if (fresh) memset(at, 0, (size_t)size - 64);
    d.samples = samples;
    for (int64_t f = 0; f < frames; f++) { /* one by one: several rows at once are summed in another order */
        job j = {&m->project, latents + f * m->project.in, 1, d.projected + f * width, STORE, 0, 0, 0, 0};
        for (int64_t chunk = 0; chunk * LANES < m->project.out; chunk++) float32_chunk(&j, chunk);
    }
    for (int64_t f = 0; f < frames; f++) {
        const float *x = d.projected + f * width, *last = f ? x - width : d.last_projected;
        for (int64_t s = 0; s < m->steps; s++)
            for (int64_t i = 0; i < width; i += VL)
                vstore(d.x + (f * m->steps + s) * width + i,
                       vfma(vload(last + i), vload(m->before + s * width + i), vmul(vload(x + i), vload(m->now + s * width + i))));
    }
    memcpy(d.last_projected, d.projected + (frames - 1) * width, sizeof(float) * (size_t)width);
    mimi_transformer(m, &d, cache, index, position, rows);
    to_bf16(d.x, rows * width, after_past(d.first, &m->first));
    convolve(&m->first, d.first, d.begun, rows, (product){.after = ELU, .z = after_past(d.up[0], &m->stage[0].up)});
    run_stage(m, &d, 0, rows);
}

EXPORT void pv_decode(const pv_mimi *m, const pv_cache *cache, void *space, int64_t index, int64_t position, int fresh, const float *latents, int64_t frames, float *samples) {
    decode(m, cache, space, index, position, fresh, latents, frames, samples);
}

/* Bytes of state and work space. */
EXPORT int64_t pv_decode_space(const pv_mimi *m) {
    decoder d;
    return lay_out_mimi(m, 0, &d);
}

/* Whether this processor multiplies bf16 itself, which `pv_decode` needs. */
EXPORT int pv_decodes(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && a >> 5 & 1;
}
#else
EXPORT int pv_decodes(void) { return 0; }

/* There to be bound: every library has the same names. */
EXPORT int64_t pv_decode_space(void) { return 0; }
EXPORT void pv_decode(void) {}
#endif
