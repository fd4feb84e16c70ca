/* Layer norm of one row. */
#pragma once
#include <math.h>
#include "layers.h"

/* y = (x - mean) / deviation x weight + bias, all (size,); without a norm, as in FlowLM's last modulation, only the fraction. */
static void layer_norm_row(const float *x, int64_t size, const pv_norm *norm, float epsilon, float *y) {
    vf total = vset(0), squares = vset(0);
    for (int64_t i = 0; i < size; i += VL) total = vadd(total, vload(x + i));
    const float mean = vsum(total) / (float)size;
    for (int64_t i = 0; i < size; i += VL) {
        vf centred = vsub(vload(x + i), vset(mean));
        squares = vfma(centred, centred, squares);
    }
    const vf factor = vset(1.0f / sqrtf(vsum(squares) / (float)size + epsilon));
    for (int64_t i = 0; i < size; i += VL) {
        vf normed = vmul(vsub(vload(x + i), vset(mean)), factor);
        if (norm) normed = vfma(normed, vload(norm->weight + i), vload(norm->bias + i));
        vstore(y + i, normed);
    }
}
