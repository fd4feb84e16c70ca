/* FlowLM: a prompt of many positions, or a frame from the last latent to the next one. */
#pragma once
#include "attention.h"
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
} pv_flow_lm;

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

static void workspace_in(void *memory, const pv_flow_lm *model, pv_team *team, int64_t rows, int64_t capacity, workspace *space) {
    arena laid_out = arena_in(memory);
    lay_out_flow_lm(model, rows, capacity, &laid_out, space);
    space->team = team;
}

/* Bytes of work space that calls with up to `rows` positions need. */
EXPORT int64_t pv_flow_lm_workspace_bytes(const pv_flow_lm *model, int64_t rows, int64_t capacity) {
    workspace space;
    arena nothing = arena_in(0);
    lay_out_flow_lm(model, rows, capacity, &nothing, &space);
    return bytes_of(&nothing);
}

/* Appends `rows` (at most MAX_ROWS) inputs of the transformer, x (rows, d_model), at `position`. */
EXPORT void pv_flow_lm_append(const pv_flow_lm *model, const pv_cache *cache, pv_team *team, void *memory, int64_t position, int64_t rows, const float *x) {
    workspace space;
    workspace_in(memory, model, team, rows, cache->capacity, &space);
    memcpy(space.x, x, sizeof(float) * (size_t)(rows * model->d_model));
    flow_lm_transformer(model, &space, cache, position, rows, 1);
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

/* Appends `latent` at `position` and makes the next one of `noise`, all (latent_dim,); returns the end-of-speech logit. */
EXPORT float pv_flow_lm_step(const pv_flow_lm *model, const pv_cache *cache, void *memory, int64_t position, const float *latent, const float *noise, float *next) {
    workspace space;
    float eos[BLOCK_OUTPUTS];
    workspace_in(memory, model, 0, 1, cache->capacity, &space);
    linear(&space, &model->input_linear, latent, 1, space.x, STORE);
    flow_lm_transformer(model, &space, cache, position, 1, 0);
    layer_norm_row(space.x, model->d_model, &model->out_norm, 1e-5f, space.normed);
    if (model->z_proj.kind != NO_WEIGHT) {
        linear(&space, &model->z_proj, space.normed, 1, space.hidden, STORE);
        memcpy(space.normed, space.hidden, sizeof(float) * (size_t)model->z_proj.outputs);
    }
    linear(&space, &model->out_eos, space.normed, 1, eos, STORE);
    sample_latent(model, &space, noise, next);
    return eos[0];
}
