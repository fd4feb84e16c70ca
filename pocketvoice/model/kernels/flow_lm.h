/* FlowLM: a prompt of many positions, or a frame from the last latent to the next one. */
#pragma once
#include "attention.h"
#include "layers.h"

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

/* All layers over `rows` new positions, whose inputs and outputs are k->x; of a prompt only keys and values are wanted. */
static void transformer(const pv_model *m, work *k, const pv_cache *cache, int64_t position, int64_t rows, int is_prompt) {
    const int64_t part = m->kv_heads * cache->capacity * m->head_dim;
    for (int64_t i = 0; i < m->layers; i++) {
        const pv_layer *l = m->layer + i;
        norm(k, k->x, rows, m->width, &l->norm1, 1e-5f, k->normed);
        linear(k, &l->in_proj, k->normed, rows, k->heads, STORE);
        float *keys = cache->keys_values + 2 * i * part;
        const int is_end = is_prompt && i + 1 == m->layers;
        attention a = {
            m->heads, m->kv_heads, m->head_dim, position, position, 0, rows, is_end, cache, keys, keys + part, k->heads, k->scores, cache->capacity + 16, k->attended};
        run(k->team, attention_chunk, &a, m->kv_heads);
        if (is_end) return;
        linear(k, &l->out_proj, k->attended, rows, k->x, ADD);
        norm(k, k->x, rows, m->width, &l->norm2, 1e-5f, k->normed);
        linear(k, &l->linear1, k->normed, rows, k->hidden, STORE_GELU);
        linear(k, &l->linear2, k->hidden, rows, k->x, ADD);
    }
}

/* Lays out the work space; `at` may be null, to learn its size. */
static int64_t lay_out(const pv_model *m, int64_t rows, int64_t capacity, char *at, work *k) {
    const int64_t all = (m->heads + 2 * m->kv_heads) * m->head_dim, attended = m->heads * m->head_dim;
    int64_t widest = largest(m->width, largest(attended, m->layer[0].linear1.out));
    widest = largest(widest, largest(m->condition.in, largest(m->dim, m->latent_dim)));
    const int64_t modulations = m->steps * m->modulation.out;
    int64_t place = 0;
    PLACE(k, x, rows * largest(m->width, m->dim));
    PLACE(k, normed, rows * largest(m->width, largest(m->dim, m->condition.in)));
    PLACE(k, heads, largest(rows * all, modulations));
    PLACE(k, attended, rows * largest(attended, largest(m->dim, m->latent_dim)));
    PLACE(k, hidden, largest(rows * widest, m->steps * m->dim));
    PLACE(k, scores, m->kv_heads * (capacity + 16));
    PLACE(k, q, rows * widest);
    PLACE(k, split, widest);
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
    transformer(m, &k, cache, position, rows, 1);
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
    transformer(m, &k, cache, position, 1, 0);
    normalized(k.x, m->width, &m->out_norm, 1e-5f, k.normed);
    if (m->z_proj.kind != NONE) {
        linear(&k, &m->z_proj, k.normed, 1, k.hidden, STORE);
        memcpy(k.normed, k.hidden, sizeof(float) * (size_t)m->z_proj.out);
    }
    linear(&k, &m->eos, k.normed, 1, eos, STORE);
    sample(m, &k, noise, next);
    return eos[0];
}
