/* Linear layers with weights in float32 or bf16, multiplied in float32: dot products of rows of x and rows of the weight. */
#pragma once
#include <string.h>
#include "layers.h"

#define FLOAT_ROWS 4    /* of x at once; with as many of the weight: 16 sums, more would not stay in registers */
#define FLOAT_OUTPUTS 4

INLINE void float_tile(const linear_call *call, int64_t row, int64_t output, const int rows, const int outputs, const int is_bf16, float *values) {
    const int64_t inputs = call->layer->inputs;
    const float *x = call->x + row * inputs;
    const float *float32 = (const float *)call->layer->weight + (is_bf16 ? 0 : output * inputs);
    const uint16_t *bf16 = (const uint16_t *)call->layer->weight + (is_bf16 ? output * inputs : 0);
    vf sums[FLOAT_ROWS][FLOAT_OUTPUTS];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int o = 0; o < outputs; o++) sums[r][o] = vset(0);
    for (int64_t k = 0; k < inputs; k += VL) {
        vf weights[FLOAT_OUTPUTS];
#pragma GCC unroll 4
        for (int o = 0; o < outputs; o++) weights[o] = is_bf16 ? vload_bf16(bf16 + o * inputs + k) : vload(float32 + o * inputs + k);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const vf values_of_x = vload(x + r * inputs + k);
#pragma GCC unroll 4
            for (int o = 0; o < outputs; o++) sums[r][o] = vfma(values_of_x, weights[o], sums[r][o]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int o = 0; o < outputs; o++) values[r * BLOCK_OUTPUTS + o] = vsum(sums[r][o]);
}

INLINE void float_rows(const linear_call *call, int64_t row, int64_t first, const int rows, const int is_bf16) {
    float values[FLOAT_ROWS * BLOCK_OUTPUTS];
    const int64_t left = call->layer->outputs - first, count = left < BLOCK_OUTPUTS ? left : BLOCK_OUTPUTS;
    int64_t o = 0;
    for (; o + FLOAT_OUTPUTS <= count; o += FLOAT_OUTPUTS) float_tile(call, row, first + o, rows, FLOAT_OUTPUTS, is_bf16, values + o);
    for (; o < count; o++) float_tile(call, row, first + o, rows, 1, is_bf16, values + o);
    for (int r = 0; r < rows; r++) finish_block(call, row + r, first, values + r * BLOCK_OUTPUTS);
}

/* One row of x: the weight's rows one after the other, since memory is fastest read in a single stream. */
static float dot_float32(const float *weight, const float *x, int64_t inputs) {
    vf a = vset(0), b = vset(0), c = vset(0), d = vset(0); /* four sums hide the latency of each */
    int64_t k = 0;
    for (; k + 4 * VL <= inputs; k += 4 * VL) {
        a = vfma(vload(weight + k), vload(x + k), a);
        b = vfma(vload(weight + k + VL), vload(x + k + VL), b);
        c = vfma(vload(weight + k + 2 * VL), vload(x + k + 2 * VL), c);
        d = vfma(vload(weight + k + 3 * VL), vload(x + k + 3 * VL), d);
    }
    for (; k < inputs; k += VL) a = vfma(vload(weight + k), vload(x + k), a);
    return vsum(vadd(vadd(a, b), vadd(c, d)));
}

/* `x` as `separate_parity` leaves it. */
static float dot_bf16(const uint16_t *weight, const float *x, int64_t inputs) {
    vf a = vset(0), b = vset(0), c = vset(0), d = vset(0);
    int64_t k = 0;
    for (; k + 4 * VL <= inputs; k += 4 * VL) {
        vf even, odd;
        vload_bf16_pairs(weight + k, &even, &odd);
        a = vfma(even, vload(x + k), a);
        b = vfma(odd, vload(x + k + VL), b);
        vload_bf16_pairs(weight + k + 2 * VL, &even, &odd);
        c = vfma(even, vload(x + k + 2 * VL), c);
        d = vfma(odd, vload(x + k + 3 * VL), d);
    }
    for (; k + 2 * VL <= inputs; k += 2 * VL) {
        vf even, odd;
        vload_bf16_pairs(weight + k, &even, &odd);
        a = vfma(even, vload(x + k), a);
        b = vfma(odd, vload(x + k + VL), b);
    }
    for (; k < inputs; k += VL) a = vfma(vload_bf16(weight + k), vload(x + k), a);
    return vsum(vadd(vadd(a, b), vadd(c, d)));
}

/* Two neighbours of a bf16 weight are read as one number of 32 bits, of which a shift and a mask make the even and the odd one:
   so x is laid out as VL even inputs, VL odd ones, and so on. */
static void separate_parity(const float *x, int64_t inputs, float *y) {
    int64_t k = 0;
    for (; k + 2 * VL <= inputs; k += 2 * VL)
        for (int i = 0; i < VL; i++) {
            y[k + i] = x[k + 2 * i];
            y[k + VL + i] = x[k + 2 * i + 1];
        }
    memcpy(y + k, x + k, sizeof(float) * (size_t)(inputs - k));
}

INLINE void float_single_row(const linear_call *call, int64_t first, const int is_bf16) {
    const pv_linear *layer = call->layer;
    float values[BLOCK_OUTPUTS];
    for (int64_t o = first; o < first + BLOCK_OUTPUTS && o < layer->outputs; o++)
        values[o - first] = is_bf16 ? dot_bf16((const uint16_t *)layer->weight + o * layer->inputs, call->x_by_parity, layer->inputs)
                                    : dot_float32((const float *)layer->weight + o * layer->inputs, call->x, layer->inputs);
    finish_block(call, 0, first, values);
}

INLINE void float_block(const linear_call *call, int64_t block, const int is_bf16) {
    const int64_t first = block * BLOCK_OUTPUTS;
    int64_t row = 0;
    if (call->rows == 1) {
        float_single_row(call, first, is_bf16);
        return;
    }
    for (; row + FLOAT_ROWS <= call->rows; row += FLOAT_ROWS) float_rows(call, row, first, FLOAT_ROWS, is_bf16);
    for (; row < call->rows; row++) float_rows(call, row, first, 1, is_bf16);
}

/* Parts of a `linear_call`: blocks of outputs. */
static void float32_part(void *call, int64_t block) { float_block(call, block, 0); }
static void bf16_part(void *call, int64_t block) { float_block(call, block, 1); }
