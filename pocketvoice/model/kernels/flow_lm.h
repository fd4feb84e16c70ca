/* FlowLM: a prompt of many positions, or a frame from the last latent to the next one. */
#pragma once
#include "attention.h"
#include "sizes.h"
#include "workspace.h"

typedef struct {
    pv_norm norm;
    pv_linear first, second;
} pv_flow_block; /* a residual block of the flow head */

typedef struct {
    int64_t num_layers, num_heads, num_kv_heads, head_dim, d_model;
    const pv_layer *layers;
    pv_linear input_linear, z_proj; /* z_proj may be NO_WEIGHT */
    pv_norm out_norm;
    pv_linear out_eos;
    pv_linear cond_embed, input_proj, modulation, final_linear; /* of the flow head; `modulation` is that of all blocks at once */
    int64_t num_blocks, flow_dim, latent_dim;
    int64_t predicts_sample; /* the head's result is the latent, not a flow to it */
    const pv_flow_block *blocks;
    int64_t decode_steps;
    const float *time_conditions; /* (decode_steps, flow_dim), added to the condition */
    int64_t time_conditions_size;
} pv_flow_lm;

static int row_fits(const pv_linear *layer, int64_t inputs, int64_t outputs) { return linear_fits(layer, inputs, outputs, 16, 0); }

/* The width of what the flow head and the end of speech are computed from. */
static int64_t condition_dim(const pv_flow_lm *model) { return model->z_proj.kind == NO_WEIGHT ? model->d_model : model->z_proj.outputs; }

static int flow_head_fits(const pv_flow_lm *model) {
    const int64_t dim = model->flow_dim, condition = condition_dim(model);
    if (!is_size(dim, 1 << 20) || dim % 16 || model->num_blocks < 0 || model->num_blocks > 256) return 0;
    if (!is_size(model->decode_steps, 1 << 16) || model->time_conditions_size != model->decode_steps * dim) return 0;
    for (int64_t b = 0; b < model->num_blocks; b++) {
        const pv_flow_block *block = model->blocks + b;
        if (!norm_fits(&block->norm, dim) || !row_fits(&block->first, dim, dim) || !row_fits(&block->second, dim, dim)) return 0;
    }
    return row_fits(&model->cond_embed, condition, dim) && row_fits(&model->input_proj, model->latent_dim, dim) &&
           row_fits(&model->modulation, dim, (3 * model->num_blocks + 2) * dim) && row_fits(&model->final_linear, dim, model->latent_dim);
}

/* Whether all sizes agree. */
static int flow_lm_fits(const pv_flow_lm *model) {
    if (!heads_fit(model->num_heads, model->num_kv_heads, model->head_dim) || !is_size(model->num_layers, 256)) return 0;
    const int64_t d_model = model->d_model, attended = model->num_heads * model->head_dim;
    const int64_t projected = attended + 2 * model->num_kv_heads * model->head_dim, hidden = model->layers[0].linear1.outputs;
    for (int64_t i = 0; i < model->num_layers; i++) {
        const pv_layer *layer = model->layers + i;
        if (!norm_fits(&layer->norm1, d_model) || !norm_fits(&layer->norm2, d_model)) return 0;
        if (!row_fits(&layer->in_proj, d_model, projected) || !row_fits(&layer->out_proj, attended, d_model)) return 0;
        if (!row_fits(&layer->linear1, d_model, hidden) || !row_fits(&layer->linear2, hidden, d_model)) return 0;
    }
    if (model->z_proj.kind != NO_WEIGHT && !row_fits(&model->z_proj, d_model, model->z_proj.outputs)) return 0;
    return norm_fits(&model->out_norm, d_model) && row_fits(&model->input_linear, model->latent_dim, d_model) &&
           row_fits(&model->out_eos, condition_dim(model), 1) && flow_head_fits(model);
}

/* All layers over `rows` new positions, whose inputs and outputs are space->x. Of a prompt only keys and values are wanted. */
static void flow_lm_transformer(const pv_flow_lm *model, workspace *space, const pv_cache *cache, int64_t position, int64_t rows, int is_prompt) {
    const int64_t half = model->num_kv_heads * cache->capacity * model->head_dim; /* of a layer's cache: keys, then values */
    for (int64_t i = 0; i < model->num_layers; i++) {
        const pv_layer *layer = model->layers + i;
        layer_norm(space, space->x, rows, model->d_model, &layer->norm1, 1e-5f, space->normed);
        linear(space, &layer->in_proj, space->normed, rows, space->projected, STORE);
        float *keys = cache->keys_values + 2 * i * half;
        const int only_stores = is_prompt && i + 1 == model->num_layers;
        attention a = {
            .num_heads = model->num_heads, .num_kv_heads = model->num_kv_heads, .head_dim = model->head_dim,
            .position = position, .cache_index = position, .context = 0, .rows = rows, .only_stores = only_stores,
            .cache = cache, .keys = keys, .values = keys + half, .projected = space->projected,
            .scores = space->scores, .scores_stride = cache->capacity + SCORES_PADDING, .out = space->attended,
        };
        run_parts(space->team, attention_part, &a, model->num_kv_heads);
        if (only_stores) return;
        linear(space, &layer->out_proj, space->attended, rows, space->x, ADD_TO_OUTPUT);
        layer_norm(space, space->x, rows, model->d_model, &layer->norm2, 1e-5f, space->normed);
        linear(space, &layer->linear1, space->normed, rows, space->hidden, STORE_GELU);
        linear(space, &layer->linear2, space->hidden, rows, space->x, ADD_TO_OUTPUT);
    }
}

/* Arrays for calls with up to `rows` positions; the flow head uses the same ones for a single row of its own widths. */
static void lay_out_flow_lm(const pv_flow_lm *model, int64_t rows, int64_t capacity, arena *memory, workspace *space) {
    const int64_t projected = (model->num_heads + 2 * model->num_kv_heads) * model->head_dim;
    const int64_t attended = model->num_heads * model->head_dim, modulations = model->decode_steps * model->modulation.outputs;
    const int64_t d_model = model->d_model, flow_dim = model->flow_dim, steps = model->decode_steps;
    int64_t widest = largest(d_model, largest(attended, model->layers[0].linear1.outputs));
    widest = largest(widest, largest(model->cond_embed.inputs, largest(flow_dim, model->latent_dim)));
    TAKE(memory, space->x, rows * largest(d_model, flow_dim));
    TAKE(memory, space->normed, rows * largest(d_model, largest(flow_dim, model->cond_embed.inputs)));
    TAKE(memory, space->projected, largest(rows * projected, modulations));
    TAKE(memory, space->attended, rows * largest(attended, largest(flow_dim, model->latent_dim)));
    TAKE(memory, space->hidden, largest(rows * widest, steps * flow_dim));
    TAKE(memory, space->scores, model->num_kv_heads * (capacity + SCORES_PADDING));
    TAKE(memory, space->x_int8, rows * widest);
    TAKE(memory, space->x_by_parity, widest);
}

/* Lays out the work space for some rows at `position`; whether it, the cache and the model have room for them. */
static int workspace_in(const pv_memory *memory, const pv_flow_lm *model, pv_team *team, const pv_cache *cache, int64_t position, int64_t rows, workspace *space) {
    if (!is_size(rows, MAX_ROWS) || !cache_fits(cache, model->num_layers, model->num_kv_heads, model->head_dim, position, position, rows)) return 0;
    if (model->time_conditions_size != model->decode_steps * model->flow_dim) return 0;
    arena laid_out = arena_in(memory->bytes);
    lay_out_flow_lm(model, rows, cache->capacity, &laid_out, space);
    space->team = team;
    return bytes_of(&laid_out) <= memory->size;
}

/* Bytes of work space that calls with up to `rows` positions need; 0 for a model whose sizes contradict each other. */
EXPORT int64_t pv_flow_lm_workspace_bytes(const pv_flow_lm *model, int64_t rows, int64_t capacity) {
    if (!flow_lm_fits(model) || !is_size(rows, MAX_ROWS) || !is_size(capacity, MOST_SIZE)) return 0;
    workspace space;
    arena nothing = arena_in(0);
    lay_out_flow_lm(model, rows, capacity, &nothing, &space);
    return bytes_of(&nothing);
}

/* Appends `rows` (at most MAX_ROWS) inputs of the transformer, x (rows, d_model) of `size` numbers, at `position`. */
EXPORT int pv_flow_lm_append(const pv_flow_lm *model, const pv_cache *cache, pv_team *team, const pv_memory *memory, int64_t position, int64_t rows, const float *x, int64_t size) {
    workspace space;
    if (!workspace_in(memory, model, team, cache, position, rows, &space) || size != rows * model->d_model) return DOES_NOT_FIT;
    memcpy(space.x, x, sizeof(float) * (size_t)(rows * model->d_model));
    flow_lm_transformer(model, &space, cache, position, rows, 1);
    return DONE;
}

/* The flow at `x` (latent_dim,) -> space->attended. `modulation` is shift, 1 + scale, gate of each block, each (flow_dim,),
   then shift and 1 + scale of the end. */
static void flow(const pv_flow_lm *model, workspace *space, const float *x, const float *modulation) {
    const int64_t dim = model->flow_dim;
    float *hidden = space->x, *normed = space->normed, *update = space->attended;
    linear(space, &model->input_proj, x, 1, hidden, STORE);
    for (int64_t b = 0; b <= model->num_blocks; b++, modulation += 3 * dim) {
        const int is_end = b == model->num_blocks;
        const float *shift = modulation, *scale = modulation + dim, *gate = modulation + 2 * dim;
        layer_norm_row(hidden, dim, is_end ? 0 : &model->blocks[b].norm, 1e-6f, normed);
        for (int64_t i = 0; i < dim; i += VL) vstore(normed + i, vfma(vload(normed + i), vload(scale + i), vload(shift + i)));
        if (is_end) break;
        linear(space, &model->blocks[b].first, normed, 1, space->hidden, STORE_SILU);
        linear(space, &model->blocks[b].second, space->hidden, 1, update, STORE);
        for (int64_t i = 0; i < dim; i += VL) vstore(hidden + i, vfma(vload(gate + i), vload(update + i), vload(hidden + i)));
    }
    linear(space, &model->final_linear, normed, 1, update, STORE);
}

/* One latent (latent_dim,) from the transformer's output in space->normed; changes all of the work space. */
static void sample_latent(const pv_flow_lm *model, workspace *space, const float *noise, float *latent) {
    const int64_t dim = model->flow_dim, steps = model->decode_steps, modulations = model->modulation.outputs;
    linear(space, &model->cond_embed, space->normed, 1, space->attended, STORE);
    for (int64_t s = 0; s < steps; s++)
        for (int64_t i = 0; i < dim; i += VL)
            vstore(space->hidden + s * dim + i, vsilu(vadd(vload(space->attended + i), vload(model->time_conditions + s * dim + i))));
    for (int64_t s = 0; s < steps; s++) /* each step's depends on its time alone, so all are made before the first */
        linear(space, &model->modulation, space->hidden + s * dim, 1, space->projected + s * modulations, STORE);
    memcpy(latent, noise, sizeof(float) * (size_t)model->latent_dim);
    for (int64_t s = 0; s < steps; s++) {
        flow(model, space, latent, space->projected + s * modulations);
        for (int64_t i = 0; i < model->latent_dim; i++)
            latent[i] = model->predicts_sample ? space->attended[i] : latent[i] + space->attended[i] / (float)steps;
    }
}

/* Appends `latent` at `position` and makes the next one of `noise`, all (latent_dim,), which is `size`; `eos_logit` gets the
   logit of the end of speech. */
EXPORT int pv_flow_lm_step(const pv_flow_lm *model, const pv_cache *cache, const pv_memory *memory, int64_t position, const float *latent, const float *noise, float *next, int64_t size, float *eos_logit) {
    workspace space;
    float eos[BLOCK_OUTPUTS];
    if (!workspace_in(memory, model, 0, cache, position, 1, &space) || size != model->latent_dim) return DOES_NOT_FIT;
    linear(&space, &model->input_linear, latent, 1, space.x, STORE);
    flow_lm_transformer(model, &space, cache, position, 1, 0);
    layer_norm_row(space.x, model->d_model, &model->out_norm, 1e-5f, space.normed);
    if (model->z_proj.kind != NO_WEIGHT) {
        linear(&space, &model->z_proj, space.normed, 1, space.hidden, STORE);
        memcpy(space.normed, space.hidden, sizeof(float) * (size_t)model->z_proj.outputs);
    }
    linear(&space, &model->out_eos, space.normed, 1, eos, STORE);
    sample_latent(model, &space, noise, next);
    *eos_logit = eos[0];
    return DONE;
}
