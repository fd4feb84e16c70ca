/* Vectors of VL floats, as wide as the instruction set's, and the functions of them that networks need.

   Names begin with v. `..._some` touch only the first `count` numbers in memory, if fewer than VL are left there. */
#pragma once
#include <immintrin.h>
#include <stdint.h>
#include "platform.h"

#ifdef __AVX512F__
#define VL 16
typedef __m512 vf;
#define vload _mm512_loadu_ps
#define vstore _mm512_storeu_ps
#define vset _mm512_set1_ps
#define vadd _mm512_add_ps
#define vsub _mm512_sub_ps
#define vmul _mm512_mul_ps
#define vdiv _mm512_div_ps
#define vmax _mm512_max_ps
#define vmin _mm512_min_ps
#define vfma _mm512_fmadd_ps
#define vsum _mm512_reduce_add_ps
#define vmaximum _mm512_reduce_max_ps
#define vminimum _mm512_reduce_min_ps
#define vround(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define vtimes_power(x, n) _mm512_scalef_ps(x, n)
INLINE __mmask16 first_lanes(int64_t count) { return count >= VL ? (__mmask16)0xffff : (__mmask16)((1u << count) - 1); }
INLINE vf vload_some(const float *p, int64_t count) { return _mm512_maskz_loadu_ps(first_lanes(count), p); }
INLINE void vstore_some(float *p, vf x, int64_t count) { _mm512_mask_storeu_ps(p, first_lanes(count), x); }
INLINE vf vload_bf16(const uint16_t *p) {
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
/* 2 VL numbers in bf16, which is the upper half of a float: those at even places and those at odd ones. */
INLINE void vload_bf16_pairs(const uint16_t *p, vf *even, vf *odd) {
    const __m512i pairs = _mm512_loadu_si512(p);
    *even = _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
    *odd = _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32((int)0xffff0000)));
}
#else
#define VL 8
typedef __m256 vf;
#define vload _mm256_loadu_ps
#define vstore _mm256_storeu_ps
#define vset _mm256_set1_ps
#define vadd _mm256_add_ps
#define vsub _mm256_sub_ps
#define vmul _mm256_mul_ps
#define vdiv _mm256_div_ps
#define vmax _mm256_max_ps
#define vmin _mm256_min_ps
#define vfma _mm256_fmadd_ps
#define vround(x) _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
/* x times 2^n: the exponent is put together in a float's bits. */
INLINE vf vtimes_power(vf x, vf n) {
    __m256i exponent = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return vmul(x, _mm256_castsi256_ps(exponent));
}
INLINE float vsum(vf x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
INLINE float vmaximum(vf x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}
INLINE float vminimum(vf x) { return -vmaximum(vsub(vset(0), x)); }
INLINE __m256i first_lanes(int64_t count) {
    const int32_t lanes = count >= VL ? VL : (int32_t)count;
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
INLINE vf vload_some(const float *p, int64_t count) { return count >= VL ? vload(p) : _mm256_maskload_ps(p, first_lanes(count)); }
INLINE void vstore_some(float *p, vf x, int64_t count) {
    if (count >= VL) vstore(p, x);
    else _mm256_maskstore_ps(p, first_lanes(count), x);
}
INLINE vf vload_bf16(const uint16_t *p) {
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
INLINE void vload_bf16_pairs(const uint16_t *p, vf *even, vf *odd) {
    const __m256i pairs = _mm256_loadu_si256((const __m256i *)p);
    *even = _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
    *odd = _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32((int)0xffff0000)));
}
#endif

/* e^x to 2 units in the last place: Cody and Waite's reduction to 2^n e^r, then the polynomial of Cephes (expf.c) for e^r. */
INLINE vf vexp(vf x) {
    /* Where one number is NaN, minimum and maximum return the second: in this order a NaN stays one. */
    x = vmax(vset(-87.0f), vmin(vset(88.0f), x));
    vf n = vround(vmul(x, vset(1.44269504088896341f))); /* 1 / ln 2 */
    x = vfma(n, vset(-0.693359375f), x); /* ln 2 in two parts, the first of which times n is exact */
    x = vfma(n, vset(2.12194440e-4f), x);
    vf y = vset(1.9875691500e-4f);
    y = vfma(y, x, vset(1.3981999507e-3f));
    y = vfma(y, x, vset(8.3334519073e-3f));
    y = vfma(y, x, vset(4.1665795894e-2f));
    y = vfma(y, x, vset(1.6666665459e-1f));
    y = vfma(y, x, vset(5.0000001201e-1f));
    y = vadd(vfma(y, vmul(x, x), x), vset(1.0f));
    return vtimes_power(y, n);
}

INLINE vf vsilu(vf x) { return vdiv(x, vadd(vset(1.0f), vexp(vsub(vset(0), x)))); }

/* GELU in its tanh form, x (1 + tanh(u)) / 2; since tanh(u) is 2 sigmoid(2u) - 1, that is x sigmoid(2u). */
INLINE vf vgelu(vf x) {
    const float slope = 1.59576912160573081f; /* 2 sqrt(2 / pi) */
    vf u = vmul(x, vfma(vmul(x, x), vset(0.044715f * slope), vset(slope)));
    return vdiv(x, vadd(vset(1.0f), vexp(vsub(vset(0), u))));
}
