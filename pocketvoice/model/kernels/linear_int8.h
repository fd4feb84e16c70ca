/* Linear layers with int8 weights: whole numbers of -127..127 with a scale per output, packed as `pack_int8.h` does.

   Inputs are quantized anew at every call, each row with a scale and a zero point of its own (0..255). Sums are exact in 32 bits;
   since the weights of an output have a known sum, what the zero point adds to a product is taken off at the end. */
#pragma once
#include <math.h>
#include <string.h>
#include "layers.h"

static void quantize_row(const float *x, int64_t size, quantized *x_int8, float *scale, float *zero) {
    vf low = vset(0), high = vset(0), damage = vset(0);
    for (int64_t i = 0; i < size; i += VL) {
        vf v = vload(x + i);
        low = vmin(low, v);
        high = vmax(high, v);
        damage = vfma(v, vset(0), damage); /* NaN if one is NaN or infinite, which minimum and maximum may lose */
    }
    if (isnan(vsum(damage))) { /* so are the results, then */
        memset(x_int8, 0, sizeof(quantized) * (size_t)size);
        *scale = NAN;
        *zero = 0;
        return;
    }
    const float least = vminimum(low), step = fmaxf((vmaximum(high) - least) / 255.0f, 1e-20f); /* never 0: it divides */
    const float offset = nearbyintf(-least / step), inverse = 1.0f / step;
    for (int64_t i = 0; i < size; i += VL) {
        vf v = vround(vmul(vload(x + i), vset(inverse)));
        v = vmax(vmin(vadd(v, vset(offset)), vset(255.0f)), vset(0));
#ifdef __AVX512F__
        _mm_storeu_si128((__m128i *)(x_int8 + i), _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(v)));
#else
        __m256i whole = _mm256_cvtps_epi32(vsub(v, vset(offset)));
        _mm_storeu_si128((__m128i *)(x_int8 + i), _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)));
#endif
    }
    *scale = step;
    *zero = offset;
}

/* A part of a `linear_call`: one of its rows. */
static void quantize_part(void *argument, int64_t row) {
    const linear_call *call = argument;
    const int64_t inputs = call->layer->inputs;
    quantize_row(call->x + row * inputs, inputs, call->x_int8 + row * inputs, call->scales + row, call->zeros + row);
}

#ifdef __AVX512F__
#define INT8_ROWS 4   /* of x at once: 8 sums; more spill */
#define INT8_BLOCKS 2 /* of outputs at once */

/* The sums of one block of outputs as floats: less the zero point's share, scaled. */
INLINE void finish_int8(const linear_call *call, int64_t row, int64_t block, __m512i sum) {
    const pv_linear *layer = call->layer;
    const int64_t first = block * BLOCK_OUTPUTS;
    const __m512i zero = _mm512_set1_epi32((int)call->zeros[row]);
    float values[BLOCK_OUTPUTS];
    sum = _mm512_sub_epi32(sum, _mm512_mullo_epi32(zero, _mm512_loadu_si512(layer->row_sums + first)));
    vstore(values, vmul(_mm512_cvtepi32_ps(sum), vmul(vset(call->scales[row]), vload(layer->scales + first))));
    finish_block(call, row, first, values);
}

INLINE __m512i four_inputs(const uint8_t *x) {
    int32_t four;
    memcpy(&four, x, 4);
    return _mm512_set1_epi32(four);
}

INLINE void int8_tile(const linear_call *call, int64_t row, int64_t block, const int rows, const int blocks) {
    const int64_t inputs = call->layer->inputs, block_bytes = BLOCK_OUTPUTS * inputs;
    const int8_t *weight = (const int8_t *)call->layer->weight + block * block_bytes;
    const uint8_t *x = call->x_int8 + row * inputs;
    __m512i sums[INT8_ROWS][INT8_BLOCKS];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (int b = 0; b < blocks; b++) sums[r][b] = _mm512_setzero_si512();
    for (int64_t k = 0; k < inputs; k += 4) {
        __m512i weights[INT8_BLOCKS];
#pragma GCC unroll 2
        for (int b = 0; b < blocks; b++) weights[b] = _mm512_loadu_si512(weight + b * block_bytes + k * BLOCK_OUTPUTS);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const __m512i four = four_inputs(x + r * inputs + k);
#pragma GCC unroll 2
            for (int b = 0; b < blocks; b++) sums[r][b] = _mm512_dpbusd_epi32(sums[r][b], four, weights[b]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (int b = 0; b < blocks; b++) finish_int8(call, row + r, block + b, sums[r][b]);
}

/* One row: every weight is read once, so only reading counts; four sums hide the latency of each. */
INLINE void int8_single_row(const linear_call *call, int64_t block) {
    const int64_t inputs = call->layer->inputs;
    const int8_t *weight = (const int8_t *)call->layer->weight + block * BLOCK_OUTPUTS * inputs;
    __m512i sums[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    for (int64_t k = 0; k < inputs; k += 16) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            const __m512i weights = _mm512_loadu_si512(weight + (k + 4 * i) * BLOCK_OUTPUTS);
            sums[i] = _mm512_dpbusd_epi32(sums[i], four_inputs(call->x_int8 + k + 4 * i), weights);
        }
    }
    finish_int8(call, 0, block, _mm512_add_epi32(_mm512_add_epi32(sums[0], sums[1]), _mm512_add_epi32(sums[2], sums[3])));
}
#else
#define INT8_ROWS 2 /* of x at once: 8 sums; more spill */

/* The sums of one block of outputs, each output's in two halves, as floats. */
INLINE void finish_int8(const linear_call *call, int64_t row, int64_t block, const __m256i *sums) {
    const int64_t first = block * BLOCK_OUTPUTS;
    float values[BLOCK_OUTPUTS];
    for (int half = 0; half < 2; half++) {
        __m256i sum = _mm256_hadd_epi32(sums[2 * half], sums[2 * half + 1]);
        sum = _mm256_permute4x64_epi64(sum, 0xd8); /* hadd leaves the quarters in the order 0 2 1 3 */
        vf scale = vmul(vset(call->scales[row]), vload(call->layer->scales + first + 8 * half));
        vstore(values + 8 * half, vmul(_mm256_cvtepi32_ps(sum), scale));
    }
    finish_block(call, row, first, values);
}

/* Without VNNI: products of whole numbers of 16 bits, pairs of them added in 32. */
INLINE void int8_tile(const linear_call *call, int64_t row, int64_t block, const int rows, const int blocks) {
    const int64_t inputs = call->layer->inputs;
    for (int b = 0; b < blocks; b++) {
        const int8_t *weight = (const int8_t *)call->layer->weight + (block + b) * BLOCK_OUTPUTS * inputs;
        const int16_t *x = call->x_int8 + row * inputs;
        __m256i sums[INT8_ROWS][4];
#pragma GCC unroll 2
        for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) sums[r][i] = _mm256_setzero_si256();
        for (int64_t k = 0; k < inputs; k += 4) {
            __m256i four[INT8_ROWS];
#pragma GCC unroll 2
            for (int r = 0; r < rows; r++) {
                int64_t values;
                memcpy(&values, x + r * inputs + k, 8);
                four[r] = _mm256_set1_epi64x(values);
            }
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                const __m128i bytes = _mm_loadu_si128((const __m128i *)(weight + k * BLOCK_OUTPUTS + 16 * i));
                const __m256i weights = _mm256_cvtepi8_epi16(bytes);
#pragma GCC unroll 2
                for (int r = 0; r < rows; r++) sums[r][i] = _mm256_add_epi32(sums[r][i], _mm256_madd_epi16(four[r], weights));
            }
        }
#pragma GCC unroll 2
        for (int r = 0; r < rows; r++) finish_int8(call, row + r, block + b, sums[r]);
    }
}

INLINE void int8_single_row(const linear_call *call, int64_t block) { int8_tile(call, 0, block, 1, 1); }
#endif

/* A part of a `linear_call`: two blocks of outputs. Every call of a tile has its size as constants. */
static void int8_part(void *argument, int64_t part) {
    const linear_call *call = argument;
    const int64_t blocks = (call->layer->outputs + BLOCK_OUTPUTS - 1) / BLOCK_OUTPUTS, block = 2 * part;
    const int are_two = block + 1 < blocks;
    if (call->rows == 1) {
        int8_single_row(call, block);
        if (are_two) int8_single_row(call, block + 1);
        return;
    }
    int64_t row = 0;
    for (; row + INT8_ROWS <= call->rows; row += INT8_ROWS)
        if (are_two) int8_tile(call, row, block, INT8_ROWS, 2);
        else int8_tile(call, row, block, INT8_ROWS, 1);
    for (; row < call->rows; row++)
        if (are_two) int8_tile(call, row, block, 1, 2);
        else int8_tile(call, row, block, 1, 1);
}
