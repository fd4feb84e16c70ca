/* Checks that the sizes in a model's description agree with each other, and with what lies at its addresses.

   A kernel computes addresses from these sizes: one that does not fit would have it read or write elsewhere. Whoever describes a
   model has checked its config already; nothing here relies on that. */
#pragma once
#include "attention.h"
#include "layers.h"

enum { DONE, DOES_NOT_FIT }; /* what functions answer that compute */

#define MOST_SIZE (1 << 30) /* of a layer: with it, products of two sizes and of 4 bytes fit in 64 bits */

static int is_size(int64_t size, int64_t most) { return size > 0 && size <= most; }

static int64_t whole_blocks(int64_t outputs) { return (outputs + BLOCK_OUTPUTS - 1) / BLOCK_OUTPUTS * BLOCK_OUTPUTS; }

/* The bytes that a layer's kind and sizes make of its weight; of blocks in float32 unless `blocks_are_bf16`. */
static int64_t weight_bytes_of(const pv_linear *layer, int blocks_are_bf16) {
    if (layer->kind == WEIGHT_BLOCKED) return whole_blocks(layer->outputs) * layer->inputs * (blocks_are_bf16 ? 2 : 4);
    if (layer->kind == WEIGHT_INT8) return whole_blocks(layer->outputs) * layer->inputs;
    return layer->outputs * layer->inputs * (layer->kind == WEIGHT_BF16 ? 2 : 4);
}

/* Whether a layer has these sizes, its weight and bias too, and its inputs are a multiple of what is read at once. */
static int linear_fits(const pv_linear *layer, int64_t inputs, int64_t outputs, int64_t multiple, int blocks_are_bf16) {
    if (!is_size(inputs, MOST_SIZE) || !is_size(outputs, MOST_SIZE) || inputs % multiple) return 0;
    if (layer->inputs != inputs || layer->outputs != outputs || !layer->weight) return 0;
    if (layer->bias && layer->bias_size != outputs) return 0;
    if (layer->kind == WEIGHT_INT8 && (!layer->scales || !layer->row_sums)) return 0;
    return layer->weight_bytes == weight_bytes_of(layer, blocks_are_bf16);
}

static int norm_fits(const pv_norm *norm, int64_t size) { return norm->weight && norm->bias && norm->size == size; }

/* Whether a head's width is one that attention is compiled for, and heads of keys are shared evenly. */
static int heads_fit(int64_t num_heads, int64_t num_kv_heads, int64_t head_dim) {
    if (head_dim != 16 && head_dim != 32 && head_dim != 64 && head_dim != 128) return 0;
    return is_size(num_heads, 1 << 16) && is_size(num_kv_heads, num_heads) && num_heads % num_kv_heads == 0;
}

/* Whether `rows` positions from `position` on, which go to `index`, have room in a cache of so many layers and heads. */
static int cache_fits(const pv_cache *cache, int64_t layers, int64_t num_kv_heads, int64_t head_dim, int64_t index, int64_t position, int64_t rows) {
    if (!is_size(cache->capacity, MOST_SIZE) || cache->keys_values_size / cache->capacity < 2 * layers * num_kv_heads * head_dim) return 0;
    return index >= 0 && rows > 0 && index <= cache->capacity - rows && position >= index && position <= cache->rotation_rows - rows;
}
