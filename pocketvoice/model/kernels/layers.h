/* What layers are made of, and what every kind of linear layer does with its results.

   All matrices are row-major; a linear layer is y = W x + b with W (outputs, inputs). The number of inputs is a multiple of 16.
   The kinds are multiplied in `linear_float.h` (float32, bf16), `linear_int8.h` and, for Mimi's decoder, `mimi_decoder.inc.h`. */
#pragma once
#include "vectors.h"

#define BLOCK_OUTPUTS 16 /* outputs side by side in packed weights, whatever the width of a vector */
#define MAX_ROWS 64      /* positions at once */

/* `model.native` has the same numbers */
enum { NO_WEIGHT, WEIGHT_FLOAT32, WEIGHT_BF16, WEIGHT_INT8, WEIGHT_BLOCKED };

typedef struct {
    int64_t kind, inputs, outputs;
    const void *weight;      /* (outputs, inputs); int8: packed, see pack_int8.h; blocked: see mimi.h */
    const float *scales;     /* (outputs,), int8 only */
    const int32_t *row_sums; /* (outputs,), of each row's whole numbers, int8 only */
    const float *bias;       /* (outputs,) or null */
    int64_t weight_bytes, bias_size; /* what there is at these addresses */
} pv_linear;

typedef struct {
    const float *weight, *bias;
    int64_t size; /* of both */
} pv_norm;

typedef struct {
    pv_norm norm1, norm2;
    pv_linear in_proj, out_proj, linear1, linear2;
} pv_layer; /* of a transformer */

#ifdef __AVX512F__
typedef uint8_t quantized; /* with the zero point: VNNI multiplies unsigned by signed bytes */
#else
typedef int16_t quantized; /* less the zero point: AVX2 multiplies pairs of signed 16 bits */
#endif

enum { STORE, STORE_GELU, STORE_SILU, ADD_TO_OUTPUT }; /* what is done with a layer's result */

/* One layer on its way over some rows; its parts are given out to a team. */
typedef struct {
    const pv_linear *layer;
    const float *x; /* (rows, inputs) */
    int64_t rows;
    float *y; /* (rows, outputs) */
    int after;
    quantized *x_int8;     /* (rows, inputs) */
    float *scales, *zeros; /* (rows,), of x_int8: x is about (x_int8 - zero) x scale */
    float *x_by_parity;    /* (inputs,), see `separate_parity`; of a single row, bf16 only */
} linear_call;

/* Stores the results of 16 outputs of one row, from output `first` on; of a layer's last ones some may not exist. */
static void finish_block(const linear_call *call, int64_t row, int64_t first, const float *values) {
    const pv_linear *layer = call->layer;
    float *y = call->y + row * layer->outputs + first;
    const int64_t left = layer->outputs - first;
    for (int i = 0; i < BLOCK_OUTPUTS && i < left; i += VL) {
        vf v = vload(values + i);
        if (layer->bias) v = vadd(v, vload_some(layer->bias + first + i, left - i));
        if (call->after == STORE_GELU) v = vgelu(v);
        if (call->after == STORE_SILU) v = vsilu(v);
        if (call->after == ADD_TO_OUTPUT) v = vadd(v, vload_some(y + i, left - i));
        vstore_some(y + i, v, left - i);
    }
}
