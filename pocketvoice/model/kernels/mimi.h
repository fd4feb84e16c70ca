/* Mimi's decoder, from normalised latents to samples: in float32, or in bf16 with float32 sums where the processor multiplies
   bf16 itself. The functions of both are those of `mimi_decoder.inc.h`, compiled twice.

   Time-major throughout. Each convolution is a matrix product on windows of its input's rows, which overlap and lie where they
   are; a transposed one of kernel 2S and stride S is one of kernel 2 with S x C outputs a row. ELU is applied once, by who
   writes a convolution's input. A convolution keeps the last rows of its input in front of the next ones. The outputs do not
   depend on how frames are divided among calls. */
#pragma once
#include <string.h>
#include "arena.h"
#include "attention.h"
#include "layer_norm.h"
#include "linear_float.h"
#include "sizes.h"

#define MAX_FRAMES 8  /* a call */
#define MAX_STAGES 8  /* of the SEANet decoder */
#define SLICE_ROWS 96 /* of a stage's input at once: what comes of them stays in the cache of the second level */

/* Layers have WEIGHT_BLOCKED: blocks of 16 outputs; in a block, for every input, 16 numbers side by side, or in bf16, for every
   two inputs, 16 x 2 of them. A convolution's layer has (history + 1) x channels inputs. */
typedef struct {
    pv_linear linear;
    int64_t channels, history;  /* of its input; rows of the past that it sees */
    int64_t repeats_first_row;  /* the past of the beginning is the first row, else zeros */
} pv_conv;

typedef struct {
    pv_conv upsample; /* transposed */
    int64_t stride;
    pv_conv residual_in; /* the residual block's first convolution */
    pv_linear residual_out;
} pv_stage;

typedef struct {
    int64_t is_bf16;
    pv_linear latent_proj; /* WEIGHT_FLOAT32 */
    int64_t steps_per_latent;
    const float *current_filter, *previous_filter; /* (steps_per_latent, d_model): of this latent and of the last one */
    int64_t filter_size; /* of each */
    int64_t num_layers, num_heads, head_dim, d_model, context;
    const pv_layer *layers;
    pv_conv first_conv, last_conv;
    int64_t num_stages;
    const pv_stage *stages;
} pv_mimi;

static int block_fits(const pv_mimi *mimi, const pv_linear *layer, int64_t inputs, int64_t outputs) {
    return layer->kind == WEIGHT_BLOCKED && linear_fits(layer, inputs, outputs, mimi->is_bf16 ? 2 : 1, mimi->is_bf16 != 0);
}

/* Whether a convolution is one from so many channels to so many. */
static int conv_fits(const pv_mimi *mimi, const pv_conv *conv, int64_t channels, int64_t outputs) {
    if (!is_size(channels, 1 << 20) || conv->channels != channels || conv->history < 0 || conv->history > 1 << 20) return 0;
    return block_fits(mimi, &conv->linear, (conv->history + 1) * channels, outputs);
}

static int mimi_layer_fits(const pv_mimi *mimi, const pv_layer *layer) {
    const int64_t d_model = mimi->d_model, attended = mimi->num_heads * mimi->head_dim, hidden = layer->linear1.outputs;
    return norm_fits(&layer->norm1, d_model) && norm_fits(&layer->norm2, d_model) &&
           block_fits(mimi, &layer->in_proj, d_model, 3 * attended) && block_fits(mimi, &layer->out_proj, attended, d_model) &&
           block_fits(mimi, &layer->linear1, d_model, hidden) && block_fits(mimi, &layer->linear2, hidden, d_model);
}

/* Samples that the decoder writes for a frame; 0 if its sizes contradict each other. */
static int64_t frame_size(const pv_mimi *mimi) {
    const int64_t d_model = mimi->d_model, steps = mimi->steps_per_latent;
    if (!heads_fit(mimi->num_heads, mimi->num_heads, mimi->head_dim) || !is_size(d_model, 1 << 20) || d_model % 16) return 0;
    if (!is_size(steps, 1 << 20) || mimi->filter_size != steps * d_model || !is_size(mimi->context, 1 << 20)) return 0;
    if (!is_size(mimi->num_layers, 256) || !is_size(mimi->num_stages, MAX_STAGES)) return 0;
    if (mimi->latent_proj.kind != WEIGHT_FLOAT32 || !linear_fits(&mimi->latent_proj, mimi->latent_proj.inputs, d_model, 16, 0)) return 0;
    for (int64_t i = 0; i < mimi->num_layers; i++)
        if (!mimi_layer_fits(mimi, mimi->layers + i)) return 0;
    int64_t samples = steps, channels = mimi->stages[0].upsample.channels; /* of the next convolution's input */
    if (!conv_fits(mimi, &mimi->first_conv, d_model, channels)) return 0;
    for (int64_t s = 0; s < mimi->num_stages; s++) {
        const pv_stage *stage = mimi->stages + s;
        const int64_t made = stage->residual_in.channels, between = stage->residual_out.inputs;
        if (!is_size(stage->stride, 1 << 20) || !is_size(samples *= stage->stride, 1 << 20) || stage->upsample.history != 1) return 0;
        if (!is_size(made, 1 << 20) || !conv_fits(mimi, &stage->upsample, channels, stage->stride * made)) return 0;
        if (!conv_fits(mimi, &stage->residual_in, made, between) || !block_fits(mimi, &stage->residual_out, between, made)) return 0;
        channels = made;
    }
    return conv_fits(mimi, &mimi->last_conv, channels, 1) ? samples : 0;
}

enum { AS_IT_IS, GELU, ELU }; /* what is done with a product that becomes the next one's input */

static int64_t slice_rows(const pv_mimi *mimi, int64_t stage) { return stage ? SLICE_ROWS : MAX_FRAMES * mimi->steps_per_latent; }

/* TYPED(decode) is decode_float32 or decode_bf16, by the TYPE that is defined. */
#define JOINED(name, type) name##_##type
#define WITH_SUFFIX(name, type) JOINED(name, type)
#define TYPED(name) WITH_SUFFIX(name, TYPE)

/* float32 */

enum { inputs_at_once_float32 = 1 };
typedef float scalar_float32;
typedef vf inputs_float32;
INLINE vf load_weights_float32(const float *weights) { return vload(weights); }
INLINE vf broadcast_float32(const float *inputs) { return vset(*inputs); }
INLINE vf multiply_add_float32(vf sum, vf inputs, vf weights) { return vfma(inputs, weights, sum); }
INLINE void store_some_float32(float *to, vf values, int64_t count) { vstore_some(to, values, count); }

#define TYPE float32
#define TARGET
#include "mimi_decoder.inc.h"

/* bf16 */

#ifdef __AVX512F__
#define TYPE bf16
#define TARGET __attribute__((target("avx512bf16"))) /* the library as a whole also runs where there is none */

enum { inputs_at_once_bf16 = 2 };
typedef uint16_t scalar_bf16;
typedef __m512bh inputs_bf16;
INLINE TARGET __m512bh load_weights_bf16(const uint16_t *weights) { return (__m512bh)_mm512_loadu_si512(weights); }
INLINE TARGET __m512bh broadcast_bf16(const uint16_t *inputs) {
    int32_t two;
    memcpy(&two, inputs, sizeof two);
    return (__m512bh)_mm512_set1_epi32(two);
}
INLINE TARGET vf multiply_add_bf16(vf sum, __m512bh inputs, __m512bh weights) { return _mm512_dpbf16_ps(sum, inputs, weights); }
INLINE TARGET void store_some_bf16(uint16_t *to, vf values, int64_t count) {
    _mm256_mask_storeu_epi16(to, first_lanes(count), (__m256i)_mm512_cvtneps_pbh(values));
}
#include "mimi_decoder.inc.h"

/* Whether this processor multiplies bf16 itself, so that a decoder may be `is_bf16`. */
EXPORT int pv_multiplies_bf16(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && a >> 5 & 1;
}
#else
EXPORT int pv_multiplies_bf16(void) { return 0; }
#endif

/* Bytes of state and work space, in bf16 less is needed; 0 for a model whose sizes contradict each other. */
EXPORT int64_t pv_mimi_workspace_bytes(const pv_mimi *mimi) {
    if (!frame_size(mimi)) return 0;
    arena nothing = arena_in(0);
    decoder_float32 decoder;
    lay_out_decoder_float32(mimi, &nothing, &decoder);
    return bytes_of(&nothing);
}

/* Up to MAX_FRAMES `latents` (frames, latent_dim) -> `samples` (frames x 1920,), of so many numbers each. `position` counts rows of the transformer since
   the beginning, `cache_index` says where the first new one goes in the cache. `is_fresh` begins a new sound, else `memory` is as
   the last call left it. */
EXPORT int pv_mimi_decode(const pv_mimi *mimi, const pv_cache *cache, const pv_memory *memory, int64_t cache_index, int64_t position, int is_fresh, const float *latents, int64_t latents_size, int64_t frames, float *samples, int64_t samples_size) {
    const int64_t needed = pv_mimi_workspace_bytes(mimi); /* takes no time beside a frame */
    if (!needed || needed > memory->size || !is_size(frames, MAX_FRAMES)) return DOES_NOT_FIT;
    if (latents_size != frames * mimi->latent_proj.inputs || samples_size != frames * frame_size(mimi)) return DOES_NOT_FIT;
    if (!cache_fits(cache, mimi->num_layers, mimi->num_heads, mimi->head_dim, cache_index, position, frames * mimi->steps_per_latent)) return DOES_NOT_FIT;
#ifdef __AVX512F__
    if (mimi->is_bf16) {
        decode_bf16(mimi, cache, memory->bytes, cache_index, position, is_fresh, latents, frames, samples);
        return DONE;
    }
#endif
    if (mimi->is_bf16) return DOES_NOT_FIT; /* its weights are not what this library reads */
    decode_float32(mimi, cache, memory->bytes, cache_index, position, is_fresh, latents, frames, samples);
    return DONE;
}
