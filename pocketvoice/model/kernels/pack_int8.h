/* Packs weights as int8: blocks of 16 outputs; in a block, for every four inputs, 16 x 4 whole numbers side by side. */
#pragma once
#include <math.h>
#include <string.h>
#include "layers.h"
#include "team.h"

typedef struct {
    const void *weight; /* (outputs, inputs), float32 or bf16 */
    int64_t kind, outputs, inputs;
    int8_t *packed;    /* (outputs rounded up to blocks, inputs), in the packed order */
    float *scales;     /* (outputs rounded up,) */
    int32_t *row_sums; /* (outputs rounded up,) */
} packing;

/* A row that does not exist, in the last block. */
static void pack_nothing(const packing *p, int64_t row, int8_t *packed) {
    for (int64_t k = 0; k < p->inputs; k += 4) memset(packed + k * BLOCK_OUTPUTS, 0, 4);
    p->scales[row] = 0;
    p->row_sums[row] = 0;
}

/* VL whole numbers, which are in the range of 8 bits, to where groups of four belong. */
static void store_fours(vf rounded, int8_t *packed) {
    int32_t fours[VL / 4];
#ifdef __AVX512F__
    const __m512i whole = _mm512_cvtps_epi32(rounded);
    _mm_storeu_si128((__m128i *)fours, _mm512_cvtepi32_epi8(whole));
#else
    const __m256i whole = _mm256_cvtps_epi32(rounded);
    const __m128i half = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    _mm_storel_epi64((__m128i *)fours, _mm_packs_epi16(half, half));
#endif
    for (int i = 0; i < VL / 4; i++) memcpy(packed + i * 4 * BLOCK_OUTPUTS, fours + i, 4);
}

static void pack_row(const packing *p, int64_t row, int8_t *packed) {
    const int is_bf16 = p->kind == WEIGHT_BF16;
    const float *float32 = (const float *)p->weight + (is_bf16 ? 0 : row * p->inputs);
    const uint16_t *bf16 = (const uint16_t *)p->weight + (is_bf16 ? row * p->inputs : 0);
    vf high = vset(1e-6f), damage = vset(0);
    for (int64_t k = 0; k < p->inputs; k += VL) {
        const vf v = is_bf16 ? vload_bf16(bf16 + k) : vload(float32 + k);
        high = vmax(high, vmax(v, vsub(vset(0), v)));
        damage = vfma(v, vset(0), damage); /* as in quantize_row */
    }
    const float largest_weight = vmaximum(high) + vsum(damage);
    const vf inverse = vset(127.0f / largest_weight);
    vf total = vset(0);
    for (int64_t k = 0; k < p->inputs; k += VL) {
        const vf rounded = vround(vmul(is_bf16 ? vload_bf16(bf16 + k) : vload(float32 + k), inverse));
        store_fours(rounded, packed + k * BLOCK_OUTPUTS);
        total = vadd(total, rounded); /* exact: less than 2^24 */
    }
    p->scales[row] = largest_weight / 127.0f;
    p->row_sums[row] = isnan(largest_weight) ? 0 : (int32_t)vsum(total);
}

/* A part of a `packing`: one block of outputs. */
static void pack_part(void *argument, int64_t block) {
    const packing *p = argument;
    for (int64_t row = block * BLOCK_OUTPUTS; row < (block + 1) * BLOCK_OUTPUTS; row++) {
        int8_t *packed = p->packed + block * BLOCK_OUTPUTS * p->inputs + row % BLOCK_OUTPUTS * 4;
        if (row < p->outputs) pack_row(p, row, packed);
        else pack_nothing(p, row, packed);
    }
}

/* A weight (outputs, inputs), float32 or bf16 by `kind`, packed; a NaN or an infinite number makes its row's scale NaN. */
EXPORT void pv_pack_int8(pv_team *team, const void *weight, int64_t kind, int64_t outputs, int64_t inputs, int8_t *packed, float *scales, int32_t *row_sums) {
    packing p = {weight, kind, outputs, inputs, packed, scales, row_sums};
    run_parts(team, pack_part, &p, (outputs + BLOCK_OUTPUTS - 1) / BLOCK_OUTPUTS);
}
