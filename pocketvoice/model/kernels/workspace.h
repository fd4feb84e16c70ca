/* FlowLM's work space, and layers that read and write it with a team's help. */
#pragma once
#include "arena.h"
#include "layer_norm.h"
#include "linear_float.h"
#include "linear_int8.h"
#include "team.h"

typedef struct {
    pv_team *team;                                     /* null: this thread alone */
    float *x, *normed, *projected, *attended, *hidden; /* (rows, ...) */
    float *scores;                                     /* (kv_heads, as many as a head sees, and 16) */
    quantized *x_int8;                                 /* (rows, widest) */
    float *x_by_parity;                                /* (widest,) */
    float scales[MAX_ROWS], zeros[MAX_ROWS];           /* of x_int8 */
} workspace;

/* y (rows, outputs) of x (rows, inputs). */
static void linear(workspace *space, const pv_linear *layer, const float *x, int64_t rows, float *y, int after) {
    linear_call call = {layer, x, rows, y, after, space->x_int8, space->scales, space->zeros, space->x_by_parity};
    const int64_t blocks = (layer->outputs + BLOCK_OUTPUTS - 1) / BLOCK_OUTPUTS;
    if (layer->kind == WEIGHT_INT8) {
        run_parts(space->team, quantize_part, &call, rows);
        run_parts(space->team, int8_part, &call, (blocks + 1) / 2);
    } else {
        if (layer->kind == WEIGHT_BF16 && rows == 1) separate_parity(x, layer->inputs, space->x_by_parity);
        run_parts(space->team, layer->kind == WEIGHT_BF16 ? bf16_part : float32_part, &call, blocks);
    }
}

typedef struct {
    const float *x;
    int64_t size;
    const pv_norm *norm;
    float epsilon;
    float *y;
} norm_call;

/* A part of a `norm_call`: one of its rows. */
static void norm_part(void *argument, int64_t row) {
    const norm_call *call = argument;
    layer_norm_row(call->x + row * call->size, call->size, call->norm, call->epsilon, call->y + row * call->size);
}

/* y of x, both (rows, size). */
static void layer_norm(workspace *space, const float *x, int64_t rows, int64_t size, const pv_norm *norm, float epsilon, float *y) {
    norm_call call = {x, size, norm, epsilon, y};
    run_parts(space->team, norm_part, &call, rows);
}
