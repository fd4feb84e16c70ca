/* Mimi's decoder, from normalised latents to samples: in float32, or in bf16 with float32 sums where the processor multiplies
   bf16 itself.

   Time-major throughout. Each convolution is a matrix product on windows of its input's rows, which overlap and lie where they
   are; a transposed one of kernel 2S and stride S is one of kernel 2 with S x C outputs a row. ELU is applied once, by who
   writes a convolution's input. A convolution keeps the last rows of its input in front of the next ones. The outputs do not
   depend on how frames are divided among calls. */
#pragma once
#include "attention.h"
#include "layers.h"

#define FRAMES 8 /* a call, at most */
#define SLICE 96 /* rows of a stage's input at once: what comes of them stays in the cache of the second level */

/* BLOCKS of 16 outputs; in a block, for every input, 16 numbers side by side, or in bf16, for every two inputs, 16 x 2 of them.
   A convolution has in = (history + 1) channels. */
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
    int64_t is_bf16;
    pv_linear project; /* FLOAT32 */
    int64_t steps;     /* rows a latent */
    const float *now, *before; /* (steps, width): the filters that make rows of this latent and of the last one */
    int64_t layers, heads, head_dim, width, context;
    const pv_layer *layer;
    pv_conv first, last;
    int64_t stages;
    const pv_stage *stage;
} pv_mimi;

enum { AS_IT_IS, GELU, ELU };

static int64_t slice_of(int64_t stage, const pv_mimi *m) { return stage ? SLICE : FRAMES * m->steps; }

#define number float
#define TOGETHER 1
#define weights vf
#define GET(p) vload(p)
#define SPREAD(p) vset(*(p))
#define ADD_PRODUCT(sum, x, w) vfma(x, w, sum)
#define PUT(z, v, left) vstore_some(z, v, left)
#define CODE
#define product product_float32
#define product_end product_end_float32
#define product_tile product_tile_float32
#define multiply multiply_float32
#define convert convert_float32
#define decoder decoder_float32
#define lay_out_mimi lay_out_mimi_float32
#define convolve convolve_float32
#define after_past after_past_float32
#define run_stage run_stage_float32
#define mimi_transformer mimi_transformer_float32
#define decode decode_float32
#include "decoder.h"
#undef number
#undef TOGETHER
#undef weights
#undef GET
#undef SPREAD
#undef ADD_PRODUCT
#undef PUT
#undef CODE
#undef product
#undef product_end
#undef product_tile
#undef multiply
#undef convert
#undef decoder
#undef lay_out_mimi
#undef convolve
#undef after_past
#undef run_stage
#undef mimi_transformer
#undef decode

#ifdef __AVX512F__
static inline int32_t two_of(const uint16_t *p) {
    int32_t both;
    memcpy(&both, p, sizeof both);
    return both;
}

#define number uint16_t
#define TOGETHER 2
#define weights __m512bh
#define GET(p) ((__m512bh)_mm512_loadu_si512(p))
#define SPREAD(p) ((__m512bh)_mm512_set1_epi32(two_of(p)))
#define ADD_PRODUCT(sum, x, w) _mm512_dpbf16_ps(sum, x, w)
#define PUT(z, v, left) _mm256_mask_storeu_epi16(z, first_lanes(left), (__m256i)_mm512_cvtneps_pbh(v))
#define CODE __attribute__((target("avx512bf16")))
#include "decoder.h"

/* Whether this processor multiplies bf16 itself, so that `pv_decode` can be asked for it. */
EXPORT int pv_multiplies_bf16(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && a >> 5 & 1;
}
#else
EXPORT int pv_multiplies_bf16(void) { return 0; }
#endif

EXPORT void pv_decode(const pv_mimi *m, const pv_cache *cache, void *space, int64_t index, int64_t position, int fresh, const float *latents, int64_t frames, float *samples) {
#ifdef __AVX512F__
    if (m->is_bf16) {
        decode(m, cache, space, index, position, fresh, latents, frames, samples);
        return;
    }
#endif
    decode_float32(m, cache, space, index, position, fresh, latents, frames, samples);
}

/* Bytes of state and work space; in bf16 it needs less. */
EXPORT int64_t pv_decode_space(const pv_mimi *m) {
    decoder_float32 d;
    return lay_out_mimi_float32(m, 0, &d);
}
